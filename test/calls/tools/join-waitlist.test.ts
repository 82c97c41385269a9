/** join_waitlist: the wishes and the place of an entry, and how a caller learns of a freed time. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Appointment } from 'fhir/r4'
import { startTwoClinics } from '../../support/two-clinics.ts'
import { appointmentsOf, startVisits, type VisitCaller, type Visits } from './visits.ts'

let visits: Visits
beforeAll(async () => {
  visits = await startVisits()
})
afterAll(() => visits.server.close())
beforeEach(async () => {
  const { entry = [] } = (await visits.read('Appointment?status=waitlist')) as { entry?: { resource: Appointment }[] }
  for (const { resource } of entry) await visits.put({ ...resource, id: resource.id ?? '', status: 'cancelled' })
})

const join = (caller: VisitCaller, args: object = {}) => caller.use('join_waitlist', args)
const entryOf = async (patient: string) =>
  (await appointmentsOf(visits, patient)).find(({ status }) => status === 'waitlist')

describe('an entry', () => {
  test('holds who waits, for what, with whom and when, and the words of the caller', async () => {
    const { id, caller } = await visits.verified()
    const args = { when: 'March 12th after two', appointmentType: 'check-up', practitionerName: 'doctor Quill' }
    expect(await join(caller, args)).toEqual({
      success: true,
      position: 1,
      say: 'You are on the waitlist, at place 1. We will let you know when a time becomes free.',
    })
    expect(await entryOf(id)).toMatchObject({
      status: 'waitlist',
      created: expect.stringMatching(/^2025-03-03T12:0/),
      comment: 'March 12th after two',
      appointmentType: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0276', code: 'CHECKUP' }] },
      requestedPeriod: [{ start: '2025-03-12T14:00:00-04:00', end: '2025-03-13T00:00:00-04:00' }],
      participant: [
        { actor: { reference: `Patient/${id}` }, status: 'accepted' },
        { actor: { reference: 'Practitioner/quill', display: 'Dr. Ada Quill' }, status: 'needs-action' },
      ],
    })
    expect((await caller.provenances()).map(({ activity }) => activity?.text)).toContain('join-waitlist')
  })

  test('may ask for somebody whom the Schedule only names', async () => {
    await visits.put({
      resourceType: 'Schedule',
      id: 'named',
      active: true,
      actor: [{ display: 'Dr. Wilma Oxenbridge' }],
    })
    const { id, caller } = await visits.verified()
    expect(await join(caller, { practitionerName: 'doctor Oxenbridge' })).toMatchObject({ success: true })
    expect((await entryOf(id))?.participant[1]?.actor).toEqual({ display: 'Dr. Wilma Oxenbridge' })
  })

  test('may ask for any time, kind and practitioner', async () => {
    const { id, caller } = await visits.verified()
    expect(await join(caller)).toMatchObject({ success: true, position: 1 })
    const entry = await entryOf(id)
    expect([entry?.requestedPeriod, entry?.participant.length]).toEqual([undefined, 1])
  })

  test.each<[string, number, object]>([
    ['any morning next week', 5, { start: '2025-03-10T00:00:00-04:00', end: '2025-03-10T12:00:00-04:00' }],
    ['any Friday this month', 4, { start: '2025-03-07T00:00:00-05:00', end: '2025-03-08T00:00:00-05:00' }],
    ['next week', 1, { start: '2025-03-10T00:00:00-04:00' }],
    ['as soon as possible', 1, { start: '2025-03-03T07:00:00-05:00' }],
  ])('asks for each of the hours that recur: %s', async (when, least, first) => {
    const { id, caller } = await visits.verified()
    expect(await join(caller, { when })).toMatchObject({ success: true })
    const { requestedPeriod = [] } = (await entryOf(id)) ?? {}
    expect(requestedPeriod.length).toBeGreaterThanOrEqual(least)
    expect(requestedPeriod[0]).toMatchObject(first)
  })

  test('of a caller who is new is for the placeholder of the call', async () => {
    const caller = visits.caller()
    expect(await join(caller)).toMatchObject({ success: true })
    expect(await entryOf(await caller.patientId())).toBeDefined()
  })

  test('needs a caller who is verified where the number is that of a patient', async () => {
    expect(await join(visits.caller('+15185550111'))).toMatchObject({ success: false, code: 'not-verified' })
  })

  test.each([
    [{ practitionerName: 'Smith' }, 'practitioner-unknown'],
    [{ when: 'next Tuesday' }, 'when-unclear'],
    [{ appointmentType: 'massage' }, 'appointment-type-unknown'],
  ])('is not made of what is not certain: %j', async (args, code) => {
    const { id, caller } = await visits.verified()
    expect(await join(caller, args)).toMatchObject({ success: false, code })
    expect(await entryOf(id)).toBeUndefined()
  })
})

describe('the position', () => {
  test('counts those who came before and may want the same visits', async () => {
    const [one, two, three, four] = [
      await visits.verified(),
      await visits.verified(),
      await visits.verified(),
      await visits.verified(),
    ]
    expect(await join(one.caller, { practitionerName: 'Quill' })).toMatchObject({ position: 1 })
    expect(await join(two.caller, { practitionerName: 'Núñez' })).toMatchObject({ position: 1 })
    expect(await join(three.caller)).toMatchObject({ position: 3 })
    expect(await join(four.caller, { practitionerName: 'Quill' })).toMatchObject({ position: 3 })
  })

  test('is kept by who asks for the same again', async () => {
    const [one, other] = [await visits.verified(), await visits.verified()]
    await join(one.caller, { when: 'next week' })
    await join(other.caller, { when: 'next week' })
    expect(await join(one.caller, { when: 'next week' })).toMatchObject({ position: 1, code: 'already-waiting' })
    expect(await join(one.caller, { when: 'March 12th' })).toMatchObject({ position: 3 })
  })
})

describe('a time that becomes free', () => {
  /** A patient who waits, whose time becomes free while they do not call. */
  const waiting = async (when: string) => {
    const [patient, other] = [await visits.verified(), await visits.verified()]
    const appointmentKey = await other.caller.booked({ when })
    await join(patient.caller, { when })
    await other.caller.use('cancel_appointment', { appointmentKey })
    return patient
  }
  const NEWS = /^A time that you are waiting for has become free: Wednesday, March 12th, at (\d+|noon)/

  test('is the first that find_available_slots offers its patient, and list_appointments tells of it', async () => {
    await visits.policies({ waitlistOffersByPhone: true })
    const { id, caller } = await waiting('March 12th at ten')
    const found = await caller.use('find_available_slots', { when: 'tomorrow', practitionerName: 'Quill' })
    const [first, second] = found.slots as { start: string; fromWaitlist?: boolean; slotKey: string }[]
    expect([first?.start, first?.fromWaitlist]).toEqual(['2025-03-12T10:00:00-04:00', true])
    expect([second?.start.slice(0, 10), second?.fromWaitlist]).toEqual(['2025-03-04', undefined])
    expect(found.say).toMatch(NEWS)
    const listed = await caller.use('list_appointments', {})
    expect(listed.waitlistOffers).toEqual([
      { slotKey: first?.slotKey, start: first?.start, label: expect.stringContaining('with Dr. Ada Quill') },
    ])
    expect(listed.say).toMatch(NEWS)
    expect(await caller.use('book_appointment', { slotKey: first?.slotKey })).toMatchObject({ success: true })
    expect(await entryOf(id)).toBeUndefined()
    expect((await caller.use('list_appointments', {})).waitlistOffers).toBeUndefined()
  })

  test('is offered with the slots that follow where the visit takes several, and keeps its type when it is booked', async () => {
    await visits.policies({ waitlistOffersByPhone: true })
    const [patient, other] = [await visits.verified(), await visits.verified()]
    const wish = { practitionerName: 'Núñez', appointmentType: 'check-up', when: 'March 12th at ten' }
    const appointmentKey = await other.caller.booked(wish)
    await join(patient.caller, wish)
    expect(await entryOf(patient.id)).toMatchObject({ minutesDuration: 60 })
    await other.caller.use('cancel_appointment', { appointmentKey })
    const [offer] = await patient.caller.find5({ when: 'tomorrow' })
    expect([offer?.start, offer?.fromWaitlist]).toEqual(['2025-03-12T10:00:00-04:00', true])
    const listed = (await patient.caller.use('list_appointments', {})).waitlistOffers as { slotKey: string }[]
    expect(listed.map(({ slotKey }) => slotKey)).toEqual([offer?.slotKey])
    expect(await patient.caller.use('book_appointment', { slotKey: offer?.slotKey })).toMatchObject({ success: true })
    const booked = (await appointmentsOf(visits, patient.id)).find(({ status }) => status === 'booked')
    expect(booked).toMatchObject({ minutesDuration: 60, appointmentType: { coding: [{ code: 'CHECKUP' }] } })
    expect(await entryOf(patient.id)).toBeUndefined()
  })

  test('is not offered where it is too short for the visit', async () => {
    await visits.policies({ waitlistOffersByPhone: true })
    const [patient, other] = [await visits.verified(), await visits.verified()]
    const appointmentKey = await other.caller.booked({ practitionerName: 'Núñez', when: 'March 12th at 11:30' })
    await join(patient.caller, { practitionerName: 'Núñez', appointmentType: 'check-up', when: 'March 12th' })
    await other.caller.use('cancel_appointment', { appointmentKey })
    expect((await visits.read(`Task?code=waitlist-offer&patient=${patient.id}&status=requested`)).total).toBe(0)
    expect((await patient.caller.use('list_appointments', {})).waitlistOffers).toBeUndefined()
  })

  test('is among five times at most, however many the patient is offered', async () => {
    await visits.policies({ waitlistOffersByPhone: true })
    const { caller } = await visits.verified()
    const joined = ['nine', '9:30', 'ten', '10:30', 'eleven', '11:30'].map((time) => `March 13th at ${time}`)
    const others: (() => Promise<unknown>)[] = []
    for (const when of joined) {
      const { caller: other } = await visits.verified()
      const appointmentKey = await other.booked({ when })
      await join(caller, { when, practitionerName: 'Quill' })
      others.push(() => other.use('cancel_appointment', { appointmentKey }))
    }
    await others[0]?.()
    const some = (await caller.find5({ practitionerName: 'Quill' })).map(({ fromWaitlist }) => fromWaitlist === true)
    expect(some).toEqual([true, false, false, false, false])
    for (const cancel of others.slice(1)) await cancel()
    const all = await caller.use('find_available_slots', { practitionerName: 'Quill' })
    expect((all.slots as { fromWaitlist?: boolean }[]).map(({ fromWaitlist }) => fromWaitlist)).toEqual(
      Array(5).fill(true),
    )
    expect(all.more).toBe(true)
  })

  test('is not told where the clinic has not enabled it, but staff have their Task', async () => {
    await visits.policies({})
    const { id, caller } = await waiting('March 12th at eleven')
    expect((await caller.use('list_appointments', {})).waitlistOffers).toBeUndefined()
    expect((await caller.find5({ practitionerName: 'Quill' })).some(({ fromWaitlist }) => fromWaitlist)).toBe(false)
    expect((await visits.read(`Task?code=waitlist-offer&patient=${id}&status=requested`)).total).toBe(1)
  })

  test('is told to nobody else, and to nobody who is not verified', async () => {
    await visits.policies({ waitlistOffersByPhone: true })
    await waiting('March 12th at nine')
    const { caller } = await visits.verified()
    for (const one of [caller, visits.caller()])
      expect((await one.find5({ practitionerName: 'Quill' })).some(({ fromWaitlist }) => fromWaitlist)).toBe(false)
  })
})

test('the waitlist of another clinic does not count', async () => {
  const { server, ours } = await startTwoClinics()
  try {
    await ours('POST', '/Appointment', {
      resourceType: 'Appointment',
      status: 'waitlist',
      created: '2020-01-01',
      participant: [{ actor: { reference: 'Patient/abernathy-ruth' }, status: 'accepted' }],
    })
    const headers = { 'x-call-id': 'waits-elsewhere', 'x-call-to': '+12125550199' }
    expect(await server.tool('/emr-scheduling/join_waitlist', {}, headers)).toMatchObject({
      success: true,
      position: 1,
    })
    expect((await ours('GET', '/Appointment?status=waitlist&_summary=count')).body.total).toBe(1)
  } finally {
    await server.close()
  }
})
