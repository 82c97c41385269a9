/** $reschedule, $cancel and $confirm, and the life of a visit by operations: docs/operations/appointment-reschedule.md and its neighbours. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type Clock,
  type Parameter,
  reference,
  startCalendar,
  type Visits,
  visitsOn,
} from '../support/appointment-operations.ts'
import { expectRefused, half, PATIENT, type Resource, slotsOf, visit } from '../support/booking.ts'
import type { FhirResponse, TestServer } from '../support/server.ts'
import { startTwoClinics } from '../support/two-clinics.ts'

const OKAFOR = 'Practitioner/practitioner-okafor'
const LINDQVIST = 'Practitioner/practitioner-lindqvist'

let server: TestServer
let visits: Visits
let clock: Clock
beforeAll(async () => {
  ;({ server, visits, clock } = await startCalendar())
})
beforeEach(() => visits.policies({}))
afterAll(() => server.close())

const slot = (...ids: readonly string[]): readonly Parameter[] => ids.map((id) => reference('slot', `Slot/${id}`))
const text = (name: string, valueString: string): Parameter => ({ name, valueString })
const reason = (valueCodeableConcept: object): Parameter => ({ name: 'reason', valueCodeableConcept })

function appointment({ status, body, text: sent }: FhirResponse): Resource {
  expect([status, sent]).toEqual([200, expect.stringContaining('"resourceType":"Appointment"')])
  return body
}
const participants = (...actors: readonly (readonly [string, string])[]) => ({
  participant: actors.map(([address, status]) => ({ actor: { reference: address }, status })),
})
const newPatient = async (): Promise<string> => {
  const id = `p-${randomUUID()}`
  await visits.put({ resourceType: 'Patient', id, name: [{ family: 'Moved' }] })
  return `Patient/${id}`
}

describe('$reschedule', () => {
  const move = (id: string, ...given: readonly Parameter[]) => visits.call(`${id}/$reschedule`, ...given)

  test.each([
    ['booked', 'busy'],
    ['pending', 'busy-tentative'],
  ])('takes the new slots and frees the old at once; id and status (%s) stay', async (status, slotStatus) => {
    const slots = await visits.slots(3)
    const stored = await visits.booked(slots.slice(0, 1), { status, minutesDuration: 30 })
    const moved = appointment(await move(stored.id, ...slot(slots[2] ?? '', slots[1] ?? ''), text('comment', 'Later')))
    expect(moved).toMatchObject({
      id: stored.id,
      status,
      start: half(1),
      end: half(3),
      minutesDuration: 60,
      comment: 'Later',
    })
    expect(moved.participant).toEqual(stored.participant)
    expect(await visits.statusesOf(slots)).toEqual(['free', slotStatus, slotStatus])
  })

  test('keeps a slot that is among the new ones, and changes nothing when they are the same', async () => {
    const slots = await visits.slots(3)
    const stored = await visits.booked(slots.slice(0, 2))
    const moved = appointment(await move(stored.id, ...slot(...slots.slice(1))))
    expect(await visits.statusesOf(slots)).toEqual(['free', 'busy', 'busy'])
    expect(appointment(await move(stored.id, ...slot(...slots.slice(1))))).toEqual(moved)
  })

  test('of a hold that has expired is 409 for the time that it has, too, though nothing is to be changed', async () => {
    const slots = await visits.slots()
    const held = await visits.held(await visits.offer(slots))
    clock.now += 6 * 60_000
    expectRefused(await move(held.id, ...slot(...slots)), 409, 'hold-expired')
  })

  test('goes to the time that $find offers', async () => {
    const [from = '', to = ''] = await visits.slots(2)
    const stored = await visits.booked([from])
    const offered = reference('appointment-reference', `Appointment/${await visits.offer([to])}`)
    expect(appointment(await move(stored.id, offered))).toMatchObject({ id: stored.id, start: half(1) })
    expect(await visits.statusesOf([from, to])).toEqual(['free', 'busy'])
  })

  test('to another calendar exchanges who is there, and keeps the patients and everybody else', async () => {
    const other = visitsOn(server)
    await other.open(LINDQVIST)
    const [from = ''] = await visits.slots()
    const [to = ''] = await other.slots()
    const before = participants([PATIENT, 'accepted'], [OKAFOR, 'accepted'], ['Device/scale', 'tentative'])
    const stored = await visits.booked([from], before)
    const after = participants([PATIENT, 'accepted'], ['Device/scale', 'tentative'], [LINDQVIST, 'accepted'])
    expect(appointment(await move(stored.id, ...slot(to)))).toMatchObject(after)
    expect(await visits.statusesOf([from, to])).toEqual(['free', 'busy'])
  })

  test('of a held visit does not prolong the hold', async () => {
    const [from = '', to = ''] = await visits.slots(2)
    const held = await visits.held(await visits.offer([from]))
    expect(appointment(await move(held.id, ...slot(to)))).toMatchObject({
      status: 'pending',
      extension: held.extension,
    })
    clock.now += 5 * 60_000
    for (const id of [to, from]) expectRefused(await move(held.id, ...slot(id)), 409, 'hold-expired')
    await visits.booked([to], { start: half(1), end: half(2) })
    expectRefused(await move(held.id, ...slot(from)), 409, 'hold-expired')
  })

  test('to a time that is taken, past, not there, not adjacent or of two calendars: nothing moves', async () => {
    const slots = await visits.slots(4)
    const [from = '', taken = '', , last = ''] = slots
    const stored = await visits.booked([from])
    await visits.bookedAs(await visits.offer([taken]))
    const past = { start: '2020-03-03T09:00:00Z', end: '2020-03-03T09:30:00Z' }
    const [old = ''] = await visits.slots(1, past)
    const [other = ''] = await visits.freeSlots(1, { start: half(1), end: half(2) })
    expectRefused(await move(stored.id, ...slot(taken)), 409, 'slot-unavailable')
    expectRefused(await move(stored.id, ...slot(old)), 422, 'past-time')
    expectRefused(await move(stored.id, ...slot('none')), 422, 'slot-not-found')
    expectRefused(await move(stored.id, ...slot(from, other)), 422, 'slots-of-two-schedules')
    expect((await move(stored.id, ...slot(from, last))).status).toBe(422)
    expect((await move(stored.id, ...slot(from, from))).status).toBe(422)
    expectRefused(await move(stored.id, reference('slot', 'Patient/1')), 400, 'invalid-parameter')
    expectRefused(
      await move(stored.id, reference('appointment-reference', 'Appointment/none')),
      404,
      'appointment-not-found',
    )
    expect(await visits.statusesOf([...slots, other])).toEqual(['busy', 'busy', 'free', 'free', 'free'])
    expect(await visits.read(`Appointment/${stored.id}`)).toEqual(stored)
  })

  test('needs slots or what $find offers: 400 naming both', async () => {
    const stored = await visits.booked([])
    const { status, body } = await move(stored.id, text('comment', 'x'))
    expect([status, body.issue[0].expression]).toEqual([400, ['slot', 'appointment-reference']])
  })

  test.each(['proposed', 'waitlist', 'arrived', 'fulfilled', 'cancelled', 'noshow'])(
    'of a visit that is %s: 422',
    async (status) => {
      const stored = await visits.booked([], { status })
      expectRefused(await move(stored.id, ...slot(...(await visits.slots()))), 422, 'not-movable')
    },
  )

  test('too late for the clinic: 422, and too early', async () => {
    const inHours = (hours: number) => ({
      start: new Date(clock.now + hours * 3_600_000).toISOString(),
      end: new Date(clock.now + hours * 3_600_000 + 1_800_000).toISOString(),
    })
    const [from = ''] = await visits.slots(1, inHours(3))
    const [to = ''] = await visits.slots(1, inHours(30))
    const stored = await visits.booked([from], inHours(3))
    await visits.policies({ cancellationWindowHours: 4 })
    expectRefused(await move(stored.id, ...slot(to)), 422, 'cancellation-window')
    expectRefused(await visits.call(`${stored.id}/$cancel`), 422, 'cancellation-window')
    await visits.policies({ bookingHorizonDays: 1 })
    expectRefused(await move(stored.id, ...slot(to)), 422, 'booking-horizon')
    expect(await visits.statusesOf([from, to])).toEqual(['busy', 'free'])
  })

  test('of two visits to one slot at once: one moves, the other stays', async () => {
    const [one = '', other = '', to = ''] = await visits.slots(3)
    const stored = [
      await visits.bookedAs(await visits.offer([one])),
      await visits.bookedAs(await visits.offer([other])),
    ]
    const answers = await Promise.all(stored.map(({ id }) => move(id, ...slot(to))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await visits.statusesOf([one, other, to])).sort()).toEqual(['busy', 'busy', 'free'])
    expect(await visits.statusOf(to)).toBe('busy')
  })
})

describe('$cancel', () => {
  const cancel = (id: string, ...given: readonly Parameter[]) => visits.call(`${id}/$cancel`, ...given)
  const ILL = {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason', code: 'pat' }],
  }

  test('keeps the reason and the comment, and frees the slots', async () => {
    const slots = await visits.slots(2)
    const stored = await visits.booked(slots)
    const cancelled = appointment(await cancel(stored.id, reason(ILL), text('comment', 'Has a cold')))
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelationReason: ILL, comment: 'Has a cold' })
    expect(await visits.statusesOf(slots)).toEqual(['free', 'free'])
    expect(appointment(await cancel(stored.id, reason({ text: 'Other' })))).toEqual(cancelled)
  })

  test.each(['proposed', 'pending', 'waitlist', 'booked', 'arrived', 'checked-in'])(
    'ends a visit that is %s',
    async (status) => {
      const stored = await visits.booked([], { status })
      expect(appointment(await cancel(stored.id)).status).toBe('cancelled')
    },
  )

  test('ends a hold', async () => {
    const [id = ''] = await visits.slots()
    const held = await visits.held(await visits.offer([id]))
    expect(appointment(await cancel(held.id))).not.toHaveProperty('extension')
    expect(await visits.statusOf(id)).toBe('free')
  })

  test.each(['fulfilled', 'noshow', 'entered-in-error'])('of a visit that is %s: 422', async (status) => {
    const stored = await visits.booked([], { status })
    expectRefused(await cancel(stored.id), 422, 'illegal-status-move')
  })

  test('of one that is not there 404, that was deleted 410, with a reason that is none 4xx', async () => {
    const stored = await visits.booked([])
    expect((await cancel(stored.id, reason({ coding: 'x' }))).status).toBe(422)
    await server.fhir('DELETE', `/Appointment/${stored.id}`)
    expect((await cancel(stored.id)).status).toBe(410)
    expect((await cancel('nothing')).status).toBe(404)
  })
})

describe('$confirm', () => {
  const confirm = (id: string, ...given: readonly Parameter[]) => visits.call(`${id}/$confirm`, ...given)

  test.each(['proposed', 'pending'])(
    'books a visit that is %s, and everybody who was asked has accepted',
    async (status) => {
      const [id = ''] = await visits.slots()
      const stored = await visits.booked([id], {
        status,
        ...participants([PATIENT, 'tentative'], [OKAFOR, 'needs-action']),
      })
      const confirmed = appointment(await confirm(stored.id))
      expect(confirmed).toMatchObject({
        status: 'booked',
        ...participants([PATIENT, 'accepted'], [OKAFOR, 'accepted']),
      })
      expect(await visits.statusOf(id)).toBe('busy')
      expect(appointment(await confirm(stored.id))).toEqual(confirmed)
    },
  )

  test('of a held visit ends the hold, and of one whose hold has expired is 409', async () => {
    const held = await visits.held(await visits.offer(await visits.slots()))
    expect(appointment(await confirm(held.id))).not.toHaveProperty('extension')
    const late = await visits.held(await visits.offer(await visits.slots()))
    clock.now += 5 * 60_000
    expectRefused(await confirm(late.id), 409, 'hold-expired')
  })

  test('of a booked visit accepts for the patient alone', async () => {
    const stored = await visits.booked([], participants([PATIENT, 'needs-action'], [OKAFOR, 'needs-action']))
    expect(appointment(await confirm(stored.id))).toMatchObject(
      participants([PATIENT, 'accepted'], [OKAFOR, 'needs-action']),
    )
  })

  test('of a group visit is that of the patient who is named', async () => {
    const other = await newPatient()
    const stored = await visits.booked([], participants([PATIENT, 'needs-action'], [other, 'needs-action']))
    expectRefused(await confirm(stored.id), 422, 'patient-not-named')
    const confirmed = await confirm(stored.id, reference('patient', other))
    expect(appointment(confirmed)).toMatchObject(participants([PATIENT, 'needs-action'], [other, 'accepted']))
    expectRefused(await confirm(stored.id, reference('patient', await newPatient())), 422, 'not-a-participant')
  })

  test.each(['arrived', 'fulfilled', 'cancelled', 'noshow'])('of a visit that is %s: 422', async (status) => {
    const stored = await visits.booked([], { status })
    expectRefused(await confirm(stored.id), 422, 'illegal-status-move')
  })
})

describe('the life of a visit', () => {
  test('found, held, booked, changed, moved, confirmed, checked in and fulfilled', async () => {
    const slots = await visits.slots(2)
    const held = await visits.held(await visits.offer(slots.slice(0, 1)))
    const booked = await visits.bookedAs(held.id)
    appointment(await visits.call(`${booked.id}/$reschedule`, ...slot(slots[1] ?? '')))
    let current = appointment(await visits.call(`${booked.id}/$confirm`))
    for (const status of ['arrived', 'checked-in', 'fulfilled']) {
      const answer = await visits.change(current, { status })
      expect([answer.status, answer.body.status]).toEqual([200, status])
      current = answer.body
    }
    expect(current.id).toBe(held.id)
    expect(await visits.statusesOf(slots)).toEqual(['free', 'busy'])
  })

  test('a patient who does not come is noshow, which is neither cancelled nor confirmed any more', async () => {
    const stored = await visits.bookedAs(await visits.offer(await visits.slots()))
    expect((await visits.change(stored, { status: 'noshow' })).status).toBe(200)
    for (const operation of ['$cancel', '$confirm'])
      expectRefused(await visits.call(`${stored.id}/${operation}`), 422, 'illegal-status-move')
  })

  test('a group visit is moved and cancelled with all its patients', async () => {
    const patients = [await newPatient(), await newPatient()]
    const slots = await visits.slots(2)
    const booked = await visits.bookedAs(await visits.offer(slots.slice(0, 1), { patients }))
    const moved = appointment(await visits.call(`${booked.id}/$reschedule`, ...slot(slots[1] ?? '')))
    expect(moved.participant).toEqual(booked.participant)
    expect(appointment(await visits.call(`${booked.id}/$cancel`)).participant).toEqual(booked.participant)
    expect(await visits.statusesOf(slots)).toEqual(['free', 'free'])
  })

  test('the operations are POST', async () => {
    for (const operation of ['$reschedule', '$cancel', '$confirm'])
      expect((await server.fhir('GET', `/Appointment/x/${operation}`)).status).toBe(405)
  })
})

describe('clinics', () => {
  test('do not move, cancel or confirm what is of another, nor move to its slots', async () => {
    const { server: two, ours, theirs } = await startTwoClinics()
    try {
      const [mine, other] = [visitsOn({ fhir: ours, app: two.app }), visitsOn({ fhir: theirs, app: two.app })]
      const nobody = { participant: [{ type: [{ text: 'x' }], status: 'accepted' }] }
      const [from = '', to = ''] = await mine.slots(2)
      const stored = await mine.booked([from], nobody)
      const [own = ''] = await other.slots()
      const theirOwn = await other.booked([own], nobody)
      for (const operation of ['$cancel', '$confirm'])
        expect((await other.call(`${stored.id}/${operation}`)).status).toBe(404)
      expect((await other.call(`${stored.id}/$reschedule`, ...slot(own))).status).toBe(404)
      expectRefused(await other.call(`${theirOwn.id}/$reschedule`, ...slot(to)), 422, 'slot-not-found')
      expect(await mine.statusesOf([from, to])).toEqual(['busy', 'free'])
      expect(slotsOf([own])).toEqual((await other.read(`Appointment/${theirOwn.id}`)).slot)
      expectRefused(await other.post(visit([to], nobody)), 422, 'slot-not-found')
    } finally {
      await two.close()
    }
  })
})
