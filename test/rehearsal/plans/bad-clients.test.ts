/** For each step of each plan there is a client that fails that step and no other: over HTTP, by FHIR and on the phone. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { builtInPlans } from '../../../src/rehearsal/plans/plans.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'
import { REFERENCE_CLIENTS, type ReferenceClients } from './clients/reference-clients.ts'
import { judged, saidOf } from './judged.ts'

let at: Rehearsed
beforeAll(async () => {
  at = await startRehearsed()
})
afterAll(() => at.server.close())

/** The clients of a plan mostly wait, so so many of them run at once. */
const AT_ONCE = 6

/** The steps that each client of a plan did not pass, by the one that it is to fail. */
async function failuresOf({ plan, good, mistakes }: ReferenceClients): Promise<ReadonlyMap<string, readonly string[]>> {
  const failures = new Map<string, readonly string[]>()
  const left = Object.entries(mistakes)
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [step, mistake] = next
      const steps = mistake === 'attested-no' ? judged(at, plan, good, step) : judged(at, plan, mistake)
      failures.set(step, (await steps).filter(({ result }) => result !== 'pass').map(saidOf))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return failures
}

describe.each(REFERENCE_CLIENTS)('$plan', (clients) => {
  const steps =
    builtInPlans()
      .get(clients.plan)
      ?.steps.map(({ id }) => id) ?? []
  let failures: ReadonlyMap<string, readonly string[]>
  beforeAll(async () => {
    failures = await failuresOf(clients)
  })

  test('has a client for each step', () => {
    expect(Object.keys(clients.mistakes).sort()).toEqual([...steps].sort())
  })

  test.each(steps)('the client that does %s wrong fails that step and no other', (step) => {
    expect(failures.get(step)).toEqual([expect.stringMatching(new RegExp(`^${step} fail: `))])
  })
})
