/** The clinic's policies of booking, over HTTP. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { readSettings, writeSettings } from '../../src/clinics/settings.ts'
import { type Bookings, bookingsOn, expectRefused, visit } from '../support/booking.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startTwoClinics } from '../support/two-clinics.ts'

let server: TestServer
let bookings: Bookings
beforeAll(async () => {
  server = await startServer()
  bookings = bookingsOn(server)
})
beforeEach(() => bookings.policies({}))
afterAll(() => server.close())

const HOUR = 3_600_000
/** A time that lies so many hours ahead, half an hour long. */
const inHours = (hours: number) => {
  const start = Date.now() + hours * HOUR
  return { start: new Date(start).toISOString(), end: new Date(start + HOUR / 2).toISOString() }
}

describe('minimum notice and booking horizon', () => {
  const LIMITED = { minimumNoticeMinutes: 120, bookingHorizonDays: 2 }

  test.each([
    ['too soon', 1, 'minimum-notice'],
    ['too late', 49, 'booking-horizon'],
  ])('a visit that is %s is 422, by POST and when it moves, and its slot stays free', async (_what, hours, reason) => {
    const times = inHours(hours)
    const [id = ''] = await bookings.freeSlots(1, times)
    const stored = await bookings.booked([], inHours(24))
    await bookings.policies(LIMITED)
    expectRefused(await bookings.book(visit([id], times)), 422, reason)
    expectRefused(await bookings.change(stored, times), 422, reason)
    expect(await bookings.statusOf(id)).toBe('free')
    expect((await bookings.book(visit([], inHours(3)))).status).toBe(201)
  })

  test('do not concern a visit that stays at its time', async () => {
    const stored = await bookings.booked([], inHours(1))
    await bookings.policies(LIMITED)
    expect((await bookings.change(stored, { comment: 'Bring the letter' })).status).toBe(200)
    expect((await bookings.change(stored, { status: 'arrived' })).status).toBe(200)
  })
})

describe('cancellation window', () => {
  test('a visit that begins sooner is not cancelled, moved or deleted: 422, and its slot stays busy', async () => {
    const times = inHours(5)
    const [id = ''] = await bookings.freeSlots(1, times)
    const stored = await bookings.booked([id], times)
    await bookings.policies({ cancellationWindowHours: 6 })
    const patch = [{ op: 'replace', path: '/status', value: 'cancelled' }]
    for (const refused of [
      await bookings.change(stored, { status: 'cancelled' }),
      await bookings.change(stored, inHours(30)),
      await server.fhir('PATCH', `/Appointment/${stored.id}`, patch),
      await server.fhir('DELETE', `/Appointment/${stored.id}`),
    ])
      expectRefused(refused, 422, 'cancellation-window')
    expect(await bookings.statusOf(id)).toBe('busy')
    await bookings.policies({ cancellationWindowHours: 4 })
    expect((await bookings.change(stored, { status: 'cancelled' })).status).toBe(200)
    expect(await bookings.statusOf(id)).toBe('free')
  })
})

describe('a slot that the cancellation window keeps', () => {
  const kept = async () => {
    const times = inHours(5)
    const [id = ''] = await bookings.freeSlots(1, times)
    const stored = await bookings.booked([id], times)
    await bookings.policies({ cancellationWindowHours: 6 })
    return { id, stored, times }
  }

  test('is not left for one at the same time with somebody else, nor for none, nor as entered in error: 422', async () => {
    const { id, stored, times } = await kept()
    const [other = ''] = await bookings.freeSlots(1, { ...times, schedule: { reference: 'Schedule/other' } })
    const parameter = [{ name: 'slot', valueReference: { reference: `Slot/${other}` } }]
    const { slot: _slot, ...without } = stored
    for (const refused of [
      await bookings.change(stored, { slot: [{ reference: `Slot/${other}` }] }),
      await server.fhir('POST', `/Appointment/${stored.id}/$reschedule`, { resourceType: 'Parameters', parameter }),
      await server.fhir('PUT', `/Appointment/${stored.id}`, without),
      await bookings.change(stored, { status: 'entered-in-error' }),
    ])
      expectRefused(refused, 422, 'cancellation-window')
    expect(await bookings.statusesOf([id, other])).toEqual(['busy', 'free'])
  })

  test('is freed where the clinic cancels; after that the visit may be entered in error', async () => {
    const { id, stored } = await kept()
    const system = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason'
    const cancelationReason = { coding: [{ system, code: 'prov' }] }
    expect((await bookings.change(stored, { status: 'cancelled', cancelationReason })).status).toBe(200)
    expect(await bookings.statusOf(id)).toBe('free')
    expect((await bookings.change(stored, { status: 'entered-in-error' })).status).toBe(200)
  })
})

describe('maximum of open appointments', () => {
  const patient = async () => {
    const id = `often-${randomUUID()}`
    await bookings.put({ resourceType: 'Patient', id, name: [{ family: 'Often' }] })
    return { participant: [{ actor: { reference: `Patient/${id}` }, status: 'accepted' }] }
  }
  const openOf = async ({ participant }: Awaited<ReturnType<typeof patient>>) =>
    (await bookings.read(`Appointment?actor=${participant[0]?.actor.reference}&status=booked,pending&_summary=count`))
      .total

  test('one more is 422, until one is cancelled; holds count, proposals and visits that are over do not', async () => {
    await bookings.policies({ maxOpenAppointments: 2 })
    const of = await patient()
    const first = await bookings.booked([], of)
    for (const status of ['proposed', 'fulfilled', 'waitlist']) await bookings.booked([], { ...of, status })
    const held = await bookings.booked([], { ...of, status: 'pending' })
    const [id = ''] = await bookings.freeSlots()
    expectRefused(await bookings.book(visit([id], of)), 422, 'too-many-open-appointments')
    expect(await bookings.statusOf(id)).toBe('free')
    expect((await bookings.change(held, { status: 'booked' })).status).toBe(200)
    expect((await bookings.change(first, { status: 'cancelled' })).status).toBe(200)
    expect((await bookings.book(visit([id], of))).status).toBe(201)
  })

  test('counts what the same transaction books and cancels', async () => {
    await bookings.policies({ maxOpenAppointments: 2 })
    const of = await patient()
    const post = ['POST Appointment', visit([], of)] as const
    expectRefused(await bookings.transaction(post, post, post), 422, 'too-many-open-appointments')
    expect(await openOf(of)).toBe(0)
    expect((await bookings.transaction(post, post)).status).toBe(200)
    const { entry } = await bookings.read(`Appointment?actor=${of.participant[0]?.actor.reference}`)
    const deletion = [`DELETE Appointment/${entry[0].resource.id}`] as const
    expect((await bookings.transaction(deletion, post)).status).toBe(200)
  })

  test('holds for each patient of a group, and for one that is added', async () => {
    await bookings.policies({ maxOpenAppointments: 1 })
    const [one, other] = [await patient(), await patient()]
    await bookings.booked([], one)
    const both = { participant: [...other.participant, ...one.participant] }
    expectRefused(await bookings.book(visit([], both)), 422, 'too-many-open-appointments')
    const stored = await bookings.booked([], other)
    expectRefused(await bookings.change(stored, both), 422, 'too-many-open-appointments')
  })

  test('of 16 clients that book at once as many as allowed get one', async () => {
    await bookings.policies({ maxOpenAppointments: 3 })
    const of = await patient()
    const answers = await Promise.all(Array.from({ length: 16 }, () => bookings.book(visit([], of))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    for (const answer of answers) if (answer.status !== 201) expectRefused(answer, 422, 'too-many-open-appointments')
    expect(await openOf(of)).toBe(3)
  })

  test('is none by default', async () => {
    for (let count = 0; count < 4; count++) await bookings.booked([])
  })
})

describe('the policies of one clinic', () => {
  test('do not concern the bookings of another', async () => {
    const { server: two, ours, theirs } = await startTwoClinics()
    try {
      await bookingsOn({ fhir: ours }).put({ resourceType: 'Patient', id: 'visitor', name: [{ family: 'V' }] })
      await bookingsOn({ fhir: theirs }).put({ resourceType: 'Patient', id: 'visitor', name: [{ family: 'V' }] })
      const { repository } = two.app
      await repository.change('demo-clinic', async (unit) => {
        const { policies, ...settings } = await readSettings(unit, 'demo-clinic')
        await writeSettings(unit, { ...settings, policies: { ...policies, maxOpenAppointments: 1 } })
      })
      const body = visit([], { participant: [{ actor: { reference: 'Patient/visitor' }, status: 'accepted' }] })
      const statuses = []
      for (const by of [theirs, theirs, ours, ours]) statuses.push((await by('POST', '/Appointment', body)).status)
      expect(statuses).toEqual([201, 201, 201, 422])
    } finally {
      await two.close()
    }
  })
})
