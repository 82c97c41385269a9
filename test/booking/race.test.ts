/** Many clients that book the same slots at once, each in its own way of writing: a slot is never sold twice. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Bookings, bookingsOn, expectRefused, half, slotsOf, visit } from '../support/booking.ts'
import { randomRuns } from '../support/random-runs.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let bookings: Bookings
beforeAll(async () => {
  server = await startServer()
  bookings = bookingsOn(server)
})
afterAll(() => server.close())

const CLIENTS = 64
const SLOTS = 8
const ROUNDS = randomRuns(50, { short: 0.06, long: 1 })

/** What a client wants to book: one slot, or two that follow one another. */
interface Wish {
  readonly slots: readonly string[]
  readonly body: ReturnType<typeof visit>
}

const wish = (slots: readonly string[], from: number, count: number): Wish => {
  const wanted = slots.slice(from, from + count)
  return { slots: wanted, body: visit(wanted, {}, [from, from + wanted.length]) }
}

/** Prepares a client, and returns how it books. */
type Client = (wish: Wish) => Promise<() => Promise<FhirResponse>>

const family = `Race-${randomUUID()}`

const CLIENTS_BY_WAY: readonly Client[] = [
  async ({ body }) =>
    () =>
      bookings.book(body),
  async ({ body }) => {
    const id = randomUUID()
    return () => server.fhir('PUT', `/Appointment/${id}`, { ...body, id })
  },
  async ({ body }) =>
    () => {
      const patient = `race-${randomUUID()}`
      const participant = [{ actor: { reference: `Patient/${patient}` }, status: 'accepted' }]
      return bookings.transaction(
        ['POST Appointment', { ...body, participant }],
        [`PUT Patient/${patient}`, { resourceType: 'Patient', id: patient, name: [{ family }] }],
      )
    },
  async ({ body }) => {
    const proposed = await bookings.booked([], { ...body, status: 'proposed' })
    return () => bookings.change(proposed, { status: 'booked' })
  },
  async ({ body }) => {
    const { id } = await bookings.booked([], { ...body, status: 'proposed' })
    const patch = [{ op: 'replace', path: '/status', value: 'booked' }]
    return () => server.fhir('PATCH', `/Appointment/${id}`, patch)
  },
  // Moves a visit that has a slot of its own, which is free again when the move succeeds.
  async ({ slots, body }) => {
    const own = await bookings.freeSlots()
    const stored = await bookings.booked(own)
    return () => bookings.change(stored, { slot: slotsOf(slots), start: body.start, end: body.end })
  },
]

const isBooked = ({ status }: FhirResponse): boolean => status === 200 || status === 201

describe(`of ${CLIENTS} clients that book the same ${SLOTS} slots at once, by POST, PUT, PATCH and transaction`, () => {
  test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'each slot gets one appointment, and everybody else a refusal: round %d',
    async (round) => {
      const slots = await bookings.freeSlots(SLOTS)
      const wishes = Array.from({ length: CLIENTS }, (_, client) =>
        wish(slots, (client + round) % SLOTS, client < CLIENTS / 2 ? 1 : 1 + (client % 2)),
      )
      const clients = await Promise.all(
        wishes.map((one, client) => CLIENTS_BY_WAY[(client + round) % CLIENTS_BY_WAY.length]?.(one)),
      )
      const answers = await Promise.all(clients.flatMap((client) => (client === undefined ? [] : [client()])))

      for (const answer of answers) if (!isBooked(answer)) expectRefused(answer, 409, 'slot-unavailable')
      const won = wishes.filter((_, client) => answers[client] !== undefined && isBooked(answers[client]))
      expect(won.flatMap((one) => one.slots).sort()).toEqual([...slots].sort())
      expect(await bookings.statusesOf(slots)).toEqual(slots.map(() => 'busy'))
      for (const id of slots)
        expect((await bookings.read(`Appointment?slot=Slot/${id}&status=booked&_summary=count`)).total).toBe(1)
    },
  )

  test('those that were refused left no patient and no slot behind', async () => {
    const patients = await bookings.read(`Patient?family=${family}&_summary=count`)
    const visits = await bookings.read(`Appointment?patient.family=${family}&_summary=count`)
    expect(patients.total).toBe(visits.total)
    const ours = `schedule=Schedule/calendar&start=ge${half(0)}`
    const busy = await bookings.read(`Slot?${ours}&status=busy&_summary=count`)
    const held = await bookings.read(`Slot?${ours}&_has:Appointment:slot:status=booked&_summary=count`)
    expect(busy.total).toBe(held.total)
  })

  test('and who cancels in the meantime frees the slot for one other', async () => {
    const [id = ''] = await bookings.freeSlots()
    const stored = await bookings.booked([id])
    const [cancelled, ...answers] = await Promise.all([
      bookings.change(stored, { status: 'cancelled' }),
      ...Array.from({ length: 15 }, () => bookings.book(visit([id]))),
    ])
    expect(cancelled?.status).toBe(200)
    const won = answers.filter(isBooked).length
    expect(won).toBeLessThan(2)
    expect(await bookings.statusOf(id)).toBe(won === 1 ? 'busy' : 'free')
  })
})
