/** book_appointment: an offered time becomes an Appointment, once, for callers who may book it. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Appointment } from 'fhir/r4'
import { request } from '../../support/server.ts'
import { appointmentsOf, startVisits, type VisitCaller, type Visits } from './visits.ts'

let visits: Visits
beforeAll(async () => {
  visits = await startVisits()
})
afterAll(() => visits.server.close())

const book = (caller: VisitCaller, slotKey: string, more: object = {}) =>
  caller.use('book_appointment', { slotKey, ...more })

describe('a booking', () => {
  test('takes the slot, and says when, with whom and where', async () => {
    const { id, caller } = await visits.verified()
    const slotKey = await caller.slotKey()
    expect(await book(caller, slotKey, { reason: 'a cough' })).toEqual({
      success: true,
      appointmentKey: expect.stringMatching(/^[2-9b-z]{9}$/),
      start: '2025-03-03T09:00:00-05:00',
      label: 'Monday, March 3rd, at 9 in the morning with Dr. Ada Quill at Maple Street',
      say: 'You are booked for Monday, March 3rd, at 9 in the morning with Dr. Ada Quill at Maple Street.',
    })
    const [appointment] = await appointmentsOf(visits, id)
    expect(appointment).toMatchObject({
      status: 'booked',
      start: '2025-03-03T09:00:00-05:00',
      end: '2025-03-03T09:30:00-05:00',
      created: expect.stringMatching(/^2025-03-03T12:0/),
      reasonCode: [{ text: 'a cough' }],
    })
    expect(appointment?.participant.map(({ actor, status }) => [actor?.reference, status])).toEqual([
      [`Patient/${id}`, 'accepted'],
      ['Practitioner/quill', 'accepted'],
      ['Location/location-maple-street', 'accepted'],
    ])
    expect(await visits.read(appointment?.slot?.[0]?.reference ?? '')).toMatchObject({ status: 'busy' })
  })

  test('is recorded as of the call: Encounter, its reason, and Provenance', async () => {
    const caller = visits.caller()
    await book(caller, await caller.slotKey(), { reason: 'a cough' })
    expect((await caller.encounter())?.reasonCode).toEqual([{ text: 'a cough' }])
    const [provenance] = await caller.provenances()
    expect(provenance?.activity).toEqual({ text: 'book-appointment' })
    expect(provenance?.target.map(({ reference = '' }) => reference.split('/')[0])).toEqual(['Patient', 'Appointment'])
  })

  test('of a caller who is new is for the placeholder of the call', async () => {
    const caller = visits.caller()
    await caller.booked()
    const patient = await caller.patient()
    expect(patient?.active).toBe(false)
    expect(await appointmentsOf(visits, patient?.id ?? '')).toHaveLength(1)
  })

  test('needs a caller who is verified where the number is that of a patient', async () => {
    const caller = visits.caller('+15185550111')
    const answer = await book(caller, await caller.slotKey())
    expect(answer).toMatchObject({ success: false, code: 'not-verified', say: expect.stringMatching(/date of birth/) })
  })

  test('needs a caller who is verified where staff have merged the placeholder of the call into a patient', async () => {
    const caller = visits.caller()
    await caller.booked()
    const placeholder = await caller.patient()
    const target = { resourceType: 'Patient', id: 'merged-into', active: true, name: [{ family: 'Merged' }] }
    await visits.put(target)
    const link = [{ other: { reference: `Patient/${target.id}` }, type: 'replaced-by' }]
    await visits.put({ ...placeholder, resourceType: 'Patient', id: placeholder?.id ?? '', link })
    expect(await book(caller, await caller.slotKey())).toMatchObject({ success: false, code: 'not-verified' })
    expect(await appointmentsOf(visits, target.id)).toEqual([])
  })

  test('of a longer visit takes the slots that follow, and names its type', async () => {
    const { id, caller } = await visits.verified()
    const slotKey = await caller.slotKey({ practitionerName: 'Núñez', appointmentType: 'check-up' })
    expect((await book(caller, slotKey)).success).toBe(true)
    const [appointment] = await appointmentsOf(visits, id)
    expect(appointment).toMatchObject({ minutesDuration: 60, appointmentType: { coding: [{ code: 'CHECKUP' }] } })
    expect(appointment?.slot).toHaveLength(2)
  })

  test('of a time that is too short for its type is refused', async () => {
    const { caller } = await visits.verified()
    const slotKey = await caller.slotKey({ practitionerName: 'Núñez' })
    expect(await book(caller, slotKey, { appointmentType: 'check-up' })).toMatchObject({
      success: false,
      code: 'type-not-at-this-time',
      say: 'I am sorry, that time does not fit this kind of appointment. Shall I look for one that does?',
    })
  })

  test('of a service keeps that one of those that the Schedule offers', async () => {
    const service = (code: string, display: string) => ({ coding: [{ system: 'urn:services', code, display }] })
    await visits.put({
      resourceType: 'Schedule',
      id: 'nurse',
      serviceType: [service('visit', 'Nurse visit'), service('flu', 'Flu shot')],
      actor: [{ display: 'Nurse Ives' }],
    })
    const slot = { resourceType: 'Slot', schedule: { reference: 'Schedule/nurse' }, status: 'free' }
    const times = { start: '2025-03-12T08:00:00-04:00', end: '2025-03-12T08:30:00-04:00' }
    await visits.put({ ...slot, id: 'nurse', ...times })
    const { id, caller } = await visits.verified()
    const slotKey = await caller.slotKey({ practitionerName: 'Ives', appointmentType: 'flu shot' })
    expect((await book(caller, slotKey)).success).toBe(true)
    expect((await appointmentsOf(visits, id))[0]?.serviceType).toEqual([service('flu', 'Flu shot')])
  })

  test('keeps a reason that is too long, cut with a mark', async () => {
    const { id, caller } = await visits.verified()
    expect((await book(caller, await caller.slotKey(), { reason: `a cough\n${'x'.repeat(5000)}` })).success).toBe(true)
    const text = (await appointmentsOf(visits, id))[0]?.reasonCode?.[0]?.text
    expect(text).toHaveLength(1000)
    expect(text).toMatch(/^a cough x+ \[…\]$/)
  })
})

describe('the same again', () => {
  test('in the same call is answered with the booking that exists', async () => {
    const { id, caller } = await visits.verified()
    const slotKey = await caller.slotKey()
    const first = await book(caller, slotKey)
    expect(await book(caller, slotKey)).toEqual({ ...first, code: 'already-booked' })
    expect(await appointmentsOf(visits, id)).toHaveLength(1)
  })

  test('under the same id of the tool call is the stored result, and writes nothing', async () => {
    const { id, caller } = await visits.verified()
    const slotKey = await caller.slotKey()
    const toolCalls = [{ id: 'repeated', function: { arguments: { slotKey } } }]
    const headers = { 'x-voice-secret': 'demo-secret', 'x-call-id': caller.id }
    const send = () =>
      request(visits.server.url, 'POST', '/emr-scheduling/book_appointment', { message: { toolCalls } }, headers)
    const answers = await Promise.all([send(), send(), send()])
    const [first] = answers.map(({ body }) => body.results[0].result)
    expect(JSON.parse(first)).toMatchObject({ success: true })
    for (const { body } of answers) expect(body.results[0].result).toBe(first)
    expect(await appointmentsOf(visits, id)).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test('of a slot that is taken meanwhile offers to look for another one', async () => {
    const [one, other] = [await visits.verified(), await visits.verified()]
    const [first, second] = [await one.caller.slotKey(), await other.caller.slotKey()]
    expect((await book(one.caller, first)).success).toBe(true)
    expect(await book(other.caller, second)).toMatchObject({
      success: false,
      code: 'slot-unavailable',
      say: 'I am sorry, that time has just been taken. Shall I look for another one?',
    })
    expect(await appointmentsOf(visits, other.id)).toEqual([])
  })

  test.each([
    ['is deleted', (slot: { id: string }) => visits.server.fhir('DELETE', `/Slot/${slot.id}`)],
    [
      'starts at another time',
      (slot: { id: string }) =>
        visits.server.fhir('PUT', `/Slot/${slot.id}`, {
          ...slot,
          start: '2025-04-01T09:00:00Z',
          end: '2025-04-01T09:30:00Z',
        }),
    ],
  ])('is the same where the slot %s meanwhile', async (_what, change) => {
    const id = `own-${randomUUID()}`
    const slot = { resourceType: 'Slot', id, schedule: { reference: 'Schedule/quill' }, status: 'free' }
    await visits.put({ ...slot, start: '2025-03-03T08:00:00-05:00', end: '2025-03-03T08:30:00-05:00' })
    const { caller } = await visits.verified()
    const slotKey = await caller.slotKey()
    expect((await change({ ...slot, id })).status).toBeLessThan(300)
    expect(await book(caller, slotKey)).toMatchObject({ success: false, code: 'slot-unavailable' })
  })

  test.each<[string, object, string, RegExp]>([
    ['minimum notice', { minimumNoticeMinutes: 100_000 }, 'minimum-notice', /too soon/],
    ['booking horizon', { bookingHorizonDays: 1 }, 'booking-horizon', /that far ahead/],
    ['open appointments', { maxOpenAppointments: 1 }, 'too-many-open-appointments', /as many appointments/],
  ])('by the policy of %s has its code and its sentence', async (_policy, policies, code, say) => {
    const { caller } = await visits.verified()
    await caller.booked()
    const slotKey = await caller.slotKey({ when: 'March 13th' })
    await visits.policies(policies)
    try {
      expect(await book(caller, slotKey)).toMatchObject({ success: false, code, say: expect.stringMatching(say) })
    } finally {
      await visits.policies({})
    }
  })

  test.each([
    ['an invented key', async () => 'xxxxxxxxx'],
    ['a key of another call', async () => visits.caller().slotKey()],
    ['something else', async () => 'Slot/quill'],
  ])('of %s: unknown-key', async (_what, key) => {
    const { id, caller } = await visits.verified()
    expect(await book(caller, await key())).toMatchObject({ success: false, code: 'unknown-key' })
    expect(await appointmentsOf(visits, id)).toEqual([])
  })

  test('of no key: missing-argument', async () => {
    expect(await visits.caller().use('book_appointment', {})).toMatchObject({
      success: false,
      code: 'missing-argument',
    })
  })

  test('to staff, who book over FHIR', async () => {
    const parameter = [{ name: 'slotKey', valueString: 'xxxxxxxxx' }]
    const answer = await visits.server.fhir('POST', '/Appointment/$book-appointment', {
      resourceType: 'Parameters',
      parameter,
    })
    expect([answer.status, answer.body.issue[0].details.coding[0].code]).toEqual([400, 'live-calls-only'])
  })
})

test('of 16 calls that book the same slot at once one has it, and the others are told', async () => {
  const callers = Array.from({ length: 16 }, () => visits.caller())
  const keys: string[] = []
  for (const caller of callers) keys.push(await caller.slotKey({ when: 'March 14th at three' }))
  const answers = await Promise.all(callers.map((caller, index) => book(caller, keys[index] ?? '')))
  const [booked, ...more] = answers.filter(({ success }) => success === true)
  expect([booked?.start, more]).toEqual(['2025-03-14T15:00:00-04:00', []])
  for (const answer of answers) if (answer !== booked) expect(answer).toMatchObject({ code: 'slot-unavailable' })
  const { entry } = (await visits.read(
    'Appointment?actor=Practitioner/quill&status=booked&date=2025-03-14T15:00:00-04:00',
  )) as { entry: { resource: Appointment }[] }
  expect(entry).toHaveLength(1)
})
