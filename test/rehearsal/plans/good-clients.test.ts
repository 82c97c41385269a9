/** The reference clients pass their plans, over HTTP, by FHIR and on the phone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { builtInPlans } from '../../../src/rehearsal/plans/plans.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'
import { REFERENCE_CLIENTS } from './clients/reference-clients.ts'
import { judged, saidOf } from './judged.ts'

let at: Rehearsed
beforeAll(async () => {
  at = await startRehearsed()
})
afterAll(() => at.server.close())

test('each built-in plan has clients', () => {
  expect(REFERENCE_CLIENTS.map(({ plan }) => plan)).toEqual([...builtInPlans().keys()])
})

test.each(REFERENCE_CLIENTS)('the reference client passes every step of $plan', async ({ plan, good }) => {
  const ids = builtInPlans()
    .get(plan)
    ?.steps.map(({ id }) => id)
  expect((await judged(at, plan, good)).map(saidOf)).toEqual(ids)
})
