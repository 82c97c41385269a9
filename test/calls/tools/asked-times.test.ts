/** One phrase for a time is read in the same way by every tool that takes one (docs/spoken-times.md). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Appointment, Period } from 'fhir/r4'
import { formsOf } from '../../spoken/forms.ts'
import { request } from '../../support/request.ts'
import { startVisits, type VisitCaller, type Visits } from './visits.ts'

const SECRET = { 'x-voice-secret': 'demo-secret' }

let visits: Visits
let caller: VisitCaller
let patient: string
beforeAll(async () => {
  visits = await startVisits()
  const verified = await visits.verified()
  caller = verified.caller
  patient = verified.id
  const { server } = visits
  const { body: settings } = await server.fhir('GET', '/clinics/demo-clinic/settings')
  const recovery = { contactFrom: '00:00', contactUntil: '24:00' }
  await server.fhir('PUT', '/clinics/demo-clinic/settings', { ...settings, recovery })
  const abandonment = {
    kind: 'form',
    stepReached: 'contact',
    fields: {},
    contact: { phone: '(212) 555-0155', email: 'ruth@example.com' },
    consent: true,
  }
  const { body } = await request(server.url, 'POST', '/abandonments', abandonment, SECRET)
  const call = { callId: 'callback', dialedNumber: '+12125550100', abandonment: body.id }
  await request(server.url, 'POST', '/calls', call, SECRET)
})
afterAll(() => visits.server.close())

type Result = Readonly<Record<string, unknown>>

const callBack = (when: string): Promise<Result> =>
  visits.server.tool('/abandonment-recovery/schedule_callback', { when }, { 'x-call-id': 'callback' })

/** The question that the tool asks back, or 'read'. */
const outcomeOf = ({ code, say }: Result): unknown =>
  code === 'when-unclear' || code === 'when-not-understood' ? say : 'read'

/** The times that the newest entry of the waitlist asks for. */
async function waitedFor(): Promise<readonly Period[]> {
  const query = `Appointment?patient=Patient/${patient}&status=waitlist&_sort=-_lastUpdated&_count=1`
  const { entry = [] } = (await visits.read(query)) as { entry?: { resource: Appointment }[] }
  return entry[0]?.resource.requestedPeriod ?? []
}

const isIn = (moment: string, { start = '', end }: Period): boolean =>
  Date.parse(moment) >= Date.parse(start) && (end === undefined || Date.parse(moment) < Date.parse(end))

describe('find_available_slots, join_waitlist and schedule_callback', () => {
  test.each(formsOf('when'))('read the same, or ask the same: $said', async ({ said, stored }) => {
    const found = await caller.use('find_available_slots', { when: said })
    const joined = await caller.use('join_waitlist', { when: said })
    const callback = await callBack(said)
    const outcome = outcomeOf(found)
    expect([outcomeOf(joined), outcomeOf(callback)]).toEqual([outcome, outcome])
    if (stored === undefined) expect(outcome).not.toBe('read')
    if (joined.success !== true || joined.code === 'already-waiting') return
    const periods = await waitedFor()
    expect(periods.some((period) => isIn(String(callback.callbackAt), period))).toBe(true)
  })
})
