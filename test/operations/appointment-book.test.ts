/** Appointment/$book, IHE ITI-117 and Argonaut: docs/operations/appointment-book.md. */
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
import type { TestServer } from '../support/server.ts'
import { startTwoClinics } from '../support/two-clinics.ts'

let server: TestServer
let visits: Visits
let clock: Clock
beforeAll(async () => {
  ;({ server, visits, clock } = await startCalendar())
})
beforeEach(() => visits.policies({}))
afterAll(() => server.close())

const resource = (body: object, name = 'appointment-resource'): Parameter => ({ name, resource: body })
const patientResource = (body: object): Parameter => ({
  name: 'patient-resource',
  resource: { resourceType: 'Patient', ...body },
})
const uri = (name: string, valueUri: string): Parameter => ({ name, valueUri })
const text = (name: string, valueString: string): Parameter => ({ name, valueString })
const patientsOf = ({ participant }: Resource): string[] =>
  (participant as { actor?: { reference?: string } }[]).flatMap(({ actor }) =>
    actor?.reference?.startsWith('Patient/') ? [actor.reference] : [],
  )
const newPatient = async (): Promise<string> => {
  const id = `p-${randomUUID()}`
  await visits.put({ resourceType: 'Patient', id, name: [{ family: 'Booked' }] })
  return `Patient/${id}`
}
/** The number of resources that a search finds. */
const count = async (query: string): Promise<number> => (await visits.read(`${query}&_summary=count`)).total

describe('$book of a new visit', () => {
  test('that $find offers: one booked Appointment, all who were asked accepted, its slots busy', async () => {
    const slots = await visits.slots(2)
    const booked = await visits.bookedAs(await visits.offer(slots), text('comment', 'Bring the letter'))
    expect(booked).toMatchObject({ status: 'booked', start: half(0), end: half(2), comment: 'Bring the letter' })
    expect(booked.participant).toEqual([
      { actor: { reference: PATIENT }, status: 'accepted' },
      { actor: { reference: 'Practitioner/practitioner-okafor' }, status: 'accepted' },
    ])
    expect(await visits.statusesOf(slots)).toEqual(['busy', 'busy'])
    expect(await visits.read(`Appointment/${booked.id}`)).toEqual(booked)
  })

  test('that is held: the same Appointment is booked, and the hold has ended', async () => {
    const [slot = ''] = await visits.slots()
    const held = await visits.held(await visits.offer([slot]))
    const booked = await visits.bookedAs(held.id)
    expect([booked.id, booked.status, booked.extension]).toEqual([held.id, 'booked', undefined])
    clock.now += 10 * 60_000
    expectRefused(await visits.post(visit([slot])), 409, 'slot-unavailable')
  })

  test('that is stored and proposed, pending or waiting', async () => {
    for (const status of ['proposed', 'pending', 'waitlist']) {
      const [slot = ''] = await visits.slots()
      const stored = await visits.booked([slot], { status })
      expect(await visits.bookedAs(stored.id)).toMatchObject({ id: stored.id, status: 'booked' })
      expect(await visits.statusOf(slot)).toBe('busy')
    }
  })

  test('from an Appointment that is the body itself, as from one in Parameters; no Patient is', async () => {
    const [slot = ''] = await visits.slots()
    const call = (body: object) => server.fhir('POST', '/Appointment/$book?comment=Rings%20first', body)
    const booked = visits.onlyAppointment(await call({ ...visit([slot], { status: 'pending' }) }))
    expect(booked).toMatchObject({ status: 'booked', comment: 'Rings first' })
    expectRefused(await call(visit([slot])), 409, 'slot-unavailable')
    const cancelled = visits.onlyAppointment(await call({ ...booked, status: 'cancelled' }))
    expect([cancelled.id, cancelled.status, await visits.statusOf(slot)]).toEqual([booked.id, 'cancelled', 'free'])
    expect((await call({ resourceType: 'Patient' })).status).toBe(400)
    expect((await call({ resourceType: 'Slot' })).status).toBe(400)
  })

  test.each(['pending', 'proposed', 'booked'])('from a resource that is %s', async (status) => {
    const [slot = ''] = await visits.slots()
    const body = visit([slot], { status, participant: [{ actor: { reference: PATIENT }, status: 'needs-action' }] })
    const booked = visits.onlyAppointment(await visits.call('$book', resource(body)))
    expect(booked).toMatchObject({ status: 'booked', participant: [{ status: 'accepted' }] })
    expect(await visits.statusOf(slot)).toBe('busy')
  })

  test('from what $find offers, with what the client has added, under an id of its own', async () => {
    const slots = await visits.slots()
    const id = await visits.offer(slots)
    const body = { ...visit(slots, { status: 'pending', description: 'First visit' }), id }
    const booked = visits.onlyAppointment(await visits.call('$book', resource(body, 'appt-resource')))
    expect(booked).toMatchObject({ status: 'booked', description: 'First visit' })
    expect(booked.id).not.toBe(id)
  })

  test('for a group: each patient is a participant, and the slot is taken once', async () => {
    const [slot = ''] = await visits.slots()
    const patients = [await newPatient(), await newPatient()]
    const booked = await visits.bookedAs(await visits.offer([slot], { patients }))
    expect(patientsOf(booked)).toEqual(patients)
    expectRefused(await visits.post(visit([slot])), 409, 'slot-unavailable')
  })
})

describe('who comes', () => {
  const offered = async (): Promise<string> => visits.offer(await visits.slots(), {})

  test('a stored patient, by the id of patient-resource or by patient-id', async () => {
    const [one, other] = [await newPatient(), await newPatient()]
    const given = patientResource({ id: one.slice('Patient/'.length), name: [{ family: 'Other' }] })
    const booked = await visits.bookedAs(await offered(), given, uri('patient-id', other))
    expect(patientsOf(booked)).toEqual([other, one])
    expect((await visits.read(one)).name).toEqual([{ family: 'Booked' }])
  })

  test('a patient whom the appointment names already comes once, and is accepted', async () => {
    const body = visit(await visits.slots(), { participant: [{ actor: { reference: PATIENT }, status: 'tentative' }] })
    const answer = await visits.call('$book', resource(body), uri('patient-id', PATIENT))
    expect(visits.onlyAppointment(answer).participant).toEqual([{ actor: { reference: PATIENT }, status: 'accepted' }])
  })

  test('somebody new is stored with the booking; who has the identifier already is not doubled', async () => {
    const identifier = [{ system: 'http://example.org/mrn|a,b', value: `n-${randomUUID()}` }]
    const given = patientResource({ identifier, name: [{ family: 'New' }] })
    const first = await visits.bookedAs(await offered(), given)
    const second = await visits.bookedAs(await offered(), given, given)
    expect(patientsOf(second)).toEqual(patientsOf(first))
    expect((await visits.read(patientsOf(first)[0] ?? '')).name).toEqual([{ family: 'New' }])
  })

  test('of clients that bring the same new patient at once each books for one patient', async () => {
    const given = patientResource({ identifier: [{ system: 'http://example.org/mrn', value: `n-${randomUUID()}` }] })
    const ids = await Promise.all(Array.from({ length: 6 }, offered))
    const booked = await Promise.all(ids.map((id) => visits.bookedAs(id, given)))
    expect(new Set(booked.flatMap(patientsOf)).size).toBe(1)
  })

  test('of clients that bring the same new patient at once, for visits that share neither time nor actor, too', async () => {
    const given = patientResource({ identifier: [{ system: 'http://example.org/mrn', value: `n-${randomUUID()}` }] })
    const participant = [{ actor: { display: 'A visitor' }, status: 'needs-action' }]
    const bodies = Array.from({ length: 6 }, (_, day) => {
      const [start, end] = [half(48 * day), half(48 * day + 1)]
      return resource({ resourceType: 'Appointment', status: 'pending', start, end, participant })
    })
    const booked = await Promise.all(bodies.map((body) => visits.call('$book', body, given)))
    expect(new Set(booked.map(visits.onlyAppointment).flatMap(patientsOf)).size).toBe(1)
  })

  test('without an identifier nobody is guessed: a namesake is somebody else', async () => {
    const given = patientResource({ name: [{ family: 'Booked' }] })
    const [one = '', other = ''] = [
      ...patientsOf(await visits.bookedAs(await offered(), given)),
      ...patientsOf(await visits.bookedAs(await offered(), given)),
    ]
    expect(one).not.toBe(other)
  })

  test('an id that there is not, identifiers of two patients, no Patient: 4xx, nobody is stored', async () => {
    const values = [randomUUID(), randomUUID()]
    const identifier = values.map((value) => ({ system: 'http://example.org/mrn', value }))
    for (const one of identifier)
      await visits.put({ resourceType: 'Patient', id: `p-${one.value}`, identifier: [one] } as Resource)
    const before = await count('Patient?')
    const id = await offered()
    expectRefused(await visits.book(id, patientResource({ id: 'nobody' })), 422, 'reference-not-found')
    expectRefused(await visits.book(id, uri('patient-id', 'Patient/nobody')), 422, 'reference-not-found')
    expectRefused(await visits.book(id, patientResource({ identifier })), 422, 'several-patients')
    expect((await visits.book(id, patientResource({ gender: 'x' }))).status).toBe(422)
    expect((await visits.book(id, uri('patient-id', 'Practitioner/1'))).status).toBe(400)
    expect(await count('Patient?')).toBe(before)
  })

  test('somebody new is not stored when the time is taken', async () => {
    const [slot = ''] = await visits.slots()
    const id = await visits.offer([slot])
    await visits.booked([slot])
    const before = await count('Patient?')
    expectRefused(await visits.book(id, patientResource({ name: [{ family: 'Late' }] })), 409, 'slot-unavailable')
    expect(await count('Patient?')).toBe(before)
  })
})

describe('$book with a resource that is stored', () => {
  test('and booked changes it: comment, participants, and time', async () => {
    const [from = '', to = ''] = await visits.slots(2)
    const stored = await visits.booked([from])
    const moved = { ...stored, slot: slotsOf([to]), start: half(1), end: half(2), comment: 'Later' }
    const changed = visits.onlyAppointment(await visits.call('$book', resource(moved)))
    expect(changed).toMatchObject({ id: stored.id, status: 'booked', comment: 'Later' })
    expect(await visits.statusesOf([from, to])).toEqual(['free', 'busy'])
  })

  test('and held books it', async () => {
    const held = await visits.held(await visits.offer(await visits.slots()))
    const booked = visits.onlyAppointment(await visits.call('$book', resource({ ...held, description: 'x' })))
    expect(booked).toMatchObject({ id: held.id, status: 'booked', description: 'x' })
    expect(booked).not.toHaveProperty('extension')
  })

  test('and cancelled cancels it, once', async () => {
    const [slot = ''] = await visits.slots()
    const stored = await visits.booked([slot])
    const body = { ...stored, meta: undefined, status: 'cancelled', cancelationReason: { text: 'Ill' } }
    for (const _time of [1, 2]) {
      const cancelled = visits.onlyAppointment(await visits.call('$book', resource(body)))
      expect(cancelled).toMatchObject({
        status: 'cancelled',
        cancelationReason: { text: 'Ill' },
        meta: { versionId: '2' },
      })
    }
    expect(await visits.statusOf(slot)).toBe('free')
  })

  test('and cancelled has the comment of the call, unless it has one itself', async () => {
    for (const [own, kept] of [
      [{}, 'Rang at nine'],
      [{ comment: 'Moved away' }, 'Moved away'],
    ] as const) {
      const stored = await visits.booked(await visits.slots())
      const body = resource({ ...stored, ...own, status: 'cancelled' })
      const cancelled = visits.onlyAppointment(await visits.call('$book', body, text('comment', 'Rang at nine')))
      expect((await visits.read(`Appointment/${cancelled.id}`)).comment).toBe(kept)
    }
  })

  test('made from an older version is 409', async () => {
    const stored = await visits.booked(await visits.slots())
    await visits.change(stored, { comment: 'newer' })
    expectRefused(await visits.call('$book', resource({ ...stored, comment: 'older' })), 409, 'stale-version')
    expect((await visits.read(`Appointment/${stored.id}`)).comment).toBe('newer')
  })
})

describe('cancelled-appt-id', () => {
  const cancelled = (id: string) => uri('cancelled-appt-id', `Appointment/${id}`)

  test('cancels that appointment in the same change, so that its slot can be the new one', async () => {
    await visits.policies({ maxOpenAppointments: 1 })
    const patient = await newPatient()
    const participant = [{ actor: { reference: patient }, status: 'accepted' }]
    const [slot = '', next = ''] = await visits.slots(2)
    const old = await visits.booked([slot], { participant })
    const booked = await visits.bookedAs(await visits.offer([slot, next], { patients: [patient] }), cancelled(old.id))
    expect(booked.id).not.toBe(old.id)
    expect((await visits.read(`Appointment/${old.id}`)).status).toBe('cancelled')
    expect(await visits.statusesOf([slot, next])).toEqual(['busy', 'busy'])
  })

  test('cancels nothing when the new time is taken', async () => {
    const [slot = '', next = ''] = await visits.slots(2)
    const old = await visits.booked([slot])
    const offered = await visits.offer([next])
    await visits.bookedAs(offered)
    expectRefused(await visits.book(offered, cancelled(old.id)), 409, 'slot-unavailable')
    expect((await visits.read(`Appointment/${old.id}`)).status).toBe('booked')
    expect(await visits.statusesOf([slot, next])).toEqual(['busy', 'busy'])
  })

  test('of one that is not there, over, or the one that is booked: 4xx, and nothing is booked', async () => {
    const [slot = ''] = await visits.slots()
    const offered = await visits.offer([slot])
    const over = await visits.booked([], { status: 'fulfilled' })
    const proposed = await visits.booked([], { status: 'proposed' })
    expect((await visits.book(offered, cancelled('nothing'))).status).toBe(404)
    expectRefused(await visits.book(offered, cancelled(over.id)), 422, 'illegal-status-move')
    expect((await visits.book(proposed.id, cancelled(proposed.id))).status).toBe(422)
    expect(await visits.statusOf(slot)).toBe('free')
  })
})

describe('what is refused', () => {
  test('none or several of reference and resource: 400 naming them', async () => {
    const offered = uri('appt-id', `Appointment/${await visits.offer(await visits.slots())}`)
    for (const given of [
      [text('comment', 'x')],
      [offered, resource(visit([]))],
      [resource(visit([])), resource(visit([]), 'appt-resource')],
    ]) {
      const { status, body } = await visits.call('$book', ...given)
      expect([status, body.issue[0].expression]).toEqual([
        400,
        ['appointment-reference', 'appointment-resource', 'appt-id', 'appt-resource'],
      ])
    }
  })

  test('what is not known, or was deleted: 404 and 410', async () => {
    const deleted = await visits.booked([], { status: 'proposed' })
    await server.fhir('DELETE', `/Appointment/${deleted.id}`)
    expectRefused(await visits.book('nothing'), 404, 'appointment-not-found')
    expectRefused(await visits.call('$book', resource({ ...visit([]), id: 'nothing' })), 404, 'appointment-not-found')
    expectRefused(await visits.book(deleted.id), 410, 'appointment-not-found')
  })

  test('an expired hold: 409, now and later', async () => {
    const [slot = ''] = await visits.slots()
    const held = await visits.held(await visits.offer([slot]))
    clock.now += 5 * 60_000
    expectRefused(await visits.book(held.id), 409, 'hold-expired')
    await visits.booked([slot])
    expectRefused(await visits.book(held.id), 409, 'hold-expired')
    expectRefused(await visits.call('$book', resource({ ...held, meta: undefined })), 409, 'hold-expired')
  })

  test.each(['arrived', 'fulfilled', 'noshow', 'waitlist'])('a resource that is %s: 422', async (status) => {
    expectRefused(await visits.call('$book', resource(visit([], { status }))), 422, 'not-bookable')
  })

  test('a new one that is cancelled, one that is booked already, one that is over', async () => {
    expectRefused(await visits.call('$book', resource(visit([], { status: 'cancelled' }))), 422, 'not-bookable')
    const booked = await visits.booked([])
    expectRefused(await visits.book(booked.id), 409, 'already-booked')
    const over = await visits.booked([], { status: 'fulfilled' })
    expectRefused(await visits.book(over.id), 422, 'illegal-status-move')
    expectRefused(await visits.call('$book', resource({ ...over, status: 'booked' })), 422, 'illegal-status-move')
  })

  test('what no way of booking may be: the rules of Appointment', async () => {
    const [a = '', , c = ''] = await visits.slots(3)
    const [other = ''] = await visits.freeSlots(1, { start: half(1), end: half(2) })
    const send = (body: object) => visits.call('$book', resource(body))
    expectRefused(await send(visit([], { start: half(1), end: half(0) })), 422, 'end-before-start')
    expectRefused(await send(visit([a, other], {}, [0, 2])), 422, 'slots-of-two-schedules')
    expectRefused(await send(visit(['none'])), 422, 'slot-not-found')
    expect((await send(visit([a, c], {}, [0, 3]))).status).toBe(422)
    expect((await send(visit([a], { participant: [{ status: 'accepted' }] }))).text).toContain('app-1')
    expect((await send({ ...visit([a]), participant: 'x' })).status).toBe(422)
    expect((await send({ ...visit([a]), cancelationReason: { text: 'x' } })).text).toContain('app-4')
    expect(await visits.statusesOf([a, c, other])).toEqual(['free', 'free', 'free'])
  })

  test('a taken time, by the status that the clinic says, and again when it may be overbooked', async () => {
    const [slot = ''] = await visits.slots()
    const offered = await visits.offer([slot])
    await visits.bookedAs(offered)
    expectRefused(await visits.book(offered), 409, 'slot-unavailable')
    await visits.policies({ slotTakenStatus: 422 })
    expectRefused(await visits.book(offered), 422, 'slot-unavailable')
    await visits.policies({ overbooking: true })
    expect((await visits.bookedAs(offered)).status).toBe('booked')
  })

  test('GET', async () => {
    expect((await server.fhir('GET', '/Appointment/$book?appt-id=Appointment/1')).status).toBe(405)
  })
})

describe('at once', () => {
  test('of clients that book one slot, by reference, resource and after a hold, one gets it', async () => {
    const [slot = ''] = await visits.slots()
    const offered = await visits.offer([slot])
    const holdAndBook = async () => {
      const held = await visits.hold(offered)
      return held.status === 200 ? await visits.book(held.body.entry[0].resource.id) : held
    }
    const ways = [() => visits.book(offered), () => visits.call('$book', resource(visit([slot]))), holdAndBook]
    const answers = await Promise.all(Array.from({ length: 18 }, (_, client) => ways[client % ways.length]?.()))
    const won = answers.filter((answer) => answer?.status === 200)
    expect(won).toHaveLength(1)
    for (const answer of answers)
      if (answer !== undefined && answer.status !== 200) expectRefused(answer, 409, 'slot-unavailable')
    expect(await count(`Appointment?slot=Slot/${slot}&status=booked`)).toBe(1)
    expect(await visits.statusOf(slot)).toBe('busy')
  })
})

describe('clinics', () => {
  test('a patient, an appointment and a slot of another clinic are unknown', async () => {
    const { server: two, ours, theirs } = await startTwoClinics()
    try {
      const [mine, other] = [visitsOn({ fhir: ours, app: two.app }), visitsOn({ fhir: theirs, app: two.app })]
      await mine.open()
      await mine.put({ resourceType: 'Patient', id: 'visitor', identifier: [{ system: 'urn:mrn', value: '1' }] })
      const offered = await mine.offer(await mine.slots(), { patients: ['Patient/visitor'] })
      const booked = await mine.bookedAs(offered)
      const [slot = ''] = await mine.slots()
      expectRefused(await other.book(offered), 404, 'appointment-not-found')
      expectRefused(
        await other.call('$book', resource({ ...booked, status: 'cancelled' })),
        404,
        'appointment-not-found',
      )
      const theirOwn = visit([], { participant: [{ type: [{ text: 'x' }], status: 'accepted' }] })
      const send = (...given: readonly Parameter[]) => other.call('$book', resource(theirOwn), ...given)
      expectRefused(await send(uri('patient-id', 'Patient/visitor')), 422, 'reference-not-found')
      expectRefused(await send(patientResource({ id: 'visitor' })), 422, 'reference-not-found')
      expect((await send(uri('cancelled-appt-id', `Appointment/${booked.id}`))).status).toBe(404)
      expectRefused(await other.call('$book', resource({ ...theirOwn, slot: slotsOf([slot]) })), 422, 'slot-not-found')
      const answer = await send(patientResource({ identifier: [{ system: 'urn:mrn', value: '1' }] }))
      expect(patientsOf(other.onlyAppointment(answer))).not.toContain('Patient/visitor')
      expect((await mine.read(`Appointment/${booked.id}`)).status).toBe('booked')
    } finally {
      await two.close()
    }
  })

  test('a reference with the address of the server is one of its own', async () => {
    const offered = await visits.offer(await visits.slots())
    const answer = await visits.call(
      '$book',
      reference('appointment-reference', `${server.url}/Appointment/${offered}`),
    )
    expect(visits.onlyAppointment(answer).status).toBe('booked')
  })
})
