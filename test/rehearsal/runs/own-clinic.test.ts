/** Runs with a clinic of their own, a clone that is made when they start. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SERVICE } from '../../../src/repository/record-kinds.ts'
import { logInAs } from '../../support/two-clinics.ts'
import { askAs, type Rehearsed, startRehearsed } from '../rehearsed.ts'

let clinic: Rehearsed
let operator: string
beforeAll(async () => {
  clinic = await startRehearsed()
  operator = await logInAs(clinic.server, { username: 'otto', clinic: SERVICE, role: 'operator' })
})
afterAll(() => clinic.server.close())

/** Stores a plan that asks for a patient, and starts a run of it. */
async function start(who: string) {
  const stored = await clinic.ask('PUT', '/plans/tried', {
    ...{ plan: 'tried', title: 'Tried', version: '1.0.0', description: 'A plan of a test', scenario: 'matching-zoo' },
    names: { who: `Patient/${who}` },
    steps: [
      {
        ...{ id: 'there', title: 'Is there', source: 'https://hl7.org/fhir/R4/http.html' },
        state: { query: 'Appointment?patient={{who}}', count: 0 },
      },
    ],
  })
  expect(stored.status).toBeLessThan(300)
  return await clinic.ask('POST', '/runs', { plan: 'tried', clone: true, ttl: 'PT10M' })
}

/** The clinics that there are. */
async function clinics(): Promise<readonly string[]> {
  const { body } = await askAs(clinic.server, operator, 'GET', '/clinics')
  return body.clinics.map(({ id }: { id: string }) => id)
}

test('a run may be given a clinic of its own, of the scenario of its plan', async () => {
  const { status, body } = await start('magic-certain')
  expect([status, body.clinic]).toEqual([201, expect.stringMatching(/^clone-/)])
  const finished = await askAs(clinic.server, body.token, 'POST', `/clinics/${body.clinic}/runs/${body.run}/finish`)
  expect(finished.body).toMatchObject({ result: 'pass', scenario: 'matching-zoo' })
  await askAs(clinic.server, body.token, 'DELETE', `/clinics/${body.clinic}`)
})

test('the clinic of a run that is refused ends at once', async () => {
  const before = await clinics()
  const { status, body } = await start('nobody-here')
  expect([status, body.error]).toEqual([422, expect.stringContaining('Patient/nobody-here')])
  expect(await clinics()).toEqual(before)
})
