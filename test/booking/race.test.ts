/** Many clients that book at once, each in its own way of writing: neither a slot nor a practitioner is booked twice. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keysForTimes } from '../../src/calls/visits/offered-time.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { Caller } from '../calls/caller.ts'
import { parameters, reference, type Visits, visitsOn } from '../support/appointment-operations.ts'
import { expectRefused, half, slotsOf, visit } from '../support/booking.ts'
import { randomRuns, tryCases } from '../support/random-runs.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let visits: Visits
beforeAll(async () => {
  server = await startServer()
  visits = visitsOn(server)
  await visits.open(SERVICE)
})
afterAll(() => server.close())

const CLIENTS = 64
/** It has any number of visits at one time, so that each round has slots at the same times. */
const SERVICE = 'HealthcareService/race'
const SLOTS = 8
const ROUNDS = { least: 3, most: randomRuns(50, { short: 0.06, long: 1, full: 1 }) }

/** A client's wish: one slot, or two that follow one another. */
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
      visits.post(body),
  async ({ body }) => {
    const id = randomUUID()
    return () => server.fhir('PUT', `/Appointment/${id}`, { ...body, id })
  },
  async ({ body }) =>
    () => {
      const patient = `race-${randomUUID()}`
      const participant = [{ actor: { reference: `Patient/${patient}` }, status: 'accepted' }]
      return visits.transaction(
        ['POST Appointment', { ...body, participant }],
        [`PUT Patient/${patient}`, { resourceType: 'Patient', id: patient, name: [{ family }] }],
      )
    },
  async ({ body }) => {
    const proposed = await visits.booked([], { ...body, status: 'proposed' })
    return () => visits.change(proposed, { status: 'booked' })
  },
  async ({ body }) => {
    const { id } = await visits.booked([], { ...body, status: 'proposed' })
    const patch = [{ op: 'replace', path: '/status', value: 'booked' }]
    return () => server.fhir('PATCH', `/Appointment/${id}`, patch)
  },
  // Moves a visit that has a slot of its own, which is free again when the move succeeds.
  async ({ slots, body }) => {
    const own = await visits.slots()
    const stored = await visits.booked(own)
    return () => visits.change(stored, { slot: slotsOf(slots), start: body.start, end: body.end })
  },
  async ({ slots }) => {
    const { id } = await visits.booked(await visits.slots())
    return () => visits.call(`${id}/$reschedule`, ...slots.map((slot) => reference('slot', `Slot/${slot}`)))
  },
  async ({ slots }) => {
    const id = await visits.offer(slots)
    return () => visits.book(id)
  },
  // Holds the time first, so that no other client can book it.
  async ({ slots }) => {
    const id = await visits.offer(slots)
    return async () => {
      const held = await visits.hold(id)
      return held.status === 200 ? await visits.book(held.body.entry[0].resource.id) : held
    }
  },
  async ({ body }) => {
    const patient = { resourceType: 'Patient', name: [{ family }], birthDate: '1971-02-03' }
    const { participant: _participant, ...rest } = body
    const resource = {
      ...rest,
      participant: [{ actor: { reference: SERVICE }, status: 'accepted' }],
    }
    const given = [
      { name: 'appointment-resource', resource },
      { name: 'patient-resource', resource: patient },
    ]
    return () => server.fhir('POST', '/Appointment/$book', parameters(...given))
  },
  async ({ slots }) => {
    const own = await visits.booked(await visits.slots())
    const id = await visits.offer(slots)
    return () => visits.book(id, { name: 'cancelled-appt-id', valueUri: `Appointment/${own.id}` })
  },
  // A caller who has been offered the time.
  async ({ slots, body }) => {
    const caller = new Caller(server)
    const call = { clinic: DEMO_CLINIC, callId: caller.id }
    const [slotKey] = await server.app
      .access(DEMO_CLINIC, { kind: 'call', id: caller.id })
      .change((ctx) => keysForTimes(ctx, call, [{ slots, start: body.start }]))
    return async () => asAnswer(await caller.use('book_appointment', { slotKey }))
  },
]

/** The result of a tool as a FHIR response; a refusal where it has a sentence for the caller. */
function asAnswer(result: Record<string, unknown>): FhirResponse {
  const { success, code, say } = result
  const status = success === true ? 201 : typeof say === 'string' ? 409 : 500
  const body = { issue: [{ details: { coding: [{ code }] } }] }
  return { status, body, headers: new Headers(), text: JSON.stringify(result) }
}

/** Two slots that overlap, of two schedules of a new practitioner. @returns wishes for either, or for the practitioner */
async function wishesOfOne(): Promise<readonly Wish[]> {
  const id = `race-${randomUUID()}`
  await visits.put({ resourceType: 'Practitioner', id })
  const slots = ['a', 'b'].map((name) => `${id}-${name}`)
  const times: readonly [number, number][] = [
    [0, 2],
    [1, 3],
  ]
  for (const [index, slot] of slots.entries()) {
    const [from, to] = times[index] ?? [0, 0]
    await visits.put({ resourceType: 'Schedule', id: slot, actor: [{ reference: `Practitioner/${id}` }] })
    const schedule = { reference: `Schedule/${slot}` }
    await visits.put({ resourceType: 'Slot', id: slot, schedule, status: 'free', start: half(from), end: half(to) })
  }
  return slots.map((slot, index) => ({ slots: [slot], body: visit([slot], {}, times[index]) }))
}

const isBooked = ({ status }: FhirResponse): boolean => status === 200 || status === 201

describe(`of ${CLIENTS} clients that book the same ${SLOTS} slots at once, by $book, $hold, tool call, POST, PUT, PATCH and transaction`, () => {
  test(`each slot gets one appointment, and everybody else a refusal, in ${ROUNDS.least} rounds or more`, () =>
    tryCases(ROUNDS, async (round) => {
      const slots = await visits.slots(SLOTS)
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
      expect(await visits.statusesOf(slots)).toEqual(slots.map(() => 'busy'))
      for (const id of slots)
        expect((await visits.read(`Appointment?slot=Slot/${id}&status=booked&_summary=count`)).total).toBe(1)
    }))

  test('those that were refused left no patient and no slot behind', async () => {
    const patients = await visits.read(`Patient?family=${family}&_summary=count`)
    const appointments = await visits.read(`Appointment?patient.family=${family}&_summary=count`)
    expect(patients.total).toBe(appointments.total)
    const ours = `schedule=Schedule/${visits.calendar}&start=ge${half(0)}`
    const busy = await visits.read(`Slot?${ours}&status=busy&_summary=count`)
    const held = await visits.read(`Slot?${ours}&_has:Appointment:slot:status=booked&_summary=count`)
    expect(busy.total).toBe(held.total)
  })

  test('and who cancels in the meantime frees the slot for one other', async () => {
    const [id = ''] = await visits.slots()
    const stored = await visits.booked([id])
    const [cancelled, ...answers] = await Promise.all([
      visits.change(stored, { status: 'cancelled' }),
      ...Array.from({ length: 15 }, () => visits.post(visit([id]))),
    ])
    expect(cancelled?.status).toBe(200)
    const won = answers.filter(isBooked).length
    expect(won).toBeLessThan(2)
    expect(await visits.statusOf(id)).toBe(won === 1 ? 'busy' : 'free')
  })
})

describe(`of ${CLIENTS} clients that book two overlapping slots of two schedules of one practitioner at once`, () => {
  test(`one gets the time, everybody else a refusal, and the other slot is not free, in ${ROUNDS.least} rounds or more`, () =>
    tryCases(ROUNDS, async (round) => {
      const wishes = await wishesOfOne()
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, (_, client) => {
          const wanted = wishes[client % 2]
          return wanted && CLIENTS_BY_WAY[(client + round) % CLIENTS_BY_WAY.length]?.(wanted)
        }),
      )
      const answers = await Promise.all(clients.flatMap((client) => (client === undefined ? [] : [client()])))

      for (const answer of answers) if (!isBooked(answer)) expectRefused(answer, 409, 'slot-unavailable')
      expect(answers.length).toBe(CLIENTS)
      expect(answers.filter(isBooked).length).toBe(1)
      const slots = wishes.flatMap((one) => one.slots)
      expect((await visits.statusesOf(slots)).toSorted()).toEqual(['busy', 'busy-unavailable'])
      const booked = await visits.read(
        `Appointment?slot=${slots.map((id) => `Slot/${id}`).join()}&status=booked&_summary=count`,
      )
      expect(booked.total).toBe(1)
    }))
})
