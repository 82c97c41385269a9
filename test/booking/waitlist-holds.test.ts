/** Holds and the waitlist: time that is held for a while is not taken from anybody, so its end frees nothing that is offered. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Task } from 'fhir/r4'
import { type Bookings, bookingsOn, capacity, PATIENT, type Resource, slotsOf, visit } from '../support/booking.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { participants, type Waitlist, waitlistOn } from '../support/waitlist.ts'

const OKAFOR = 'Practitioner/practitioner-okafor'

let server: TestServer
let bookings: Bookings
let waitlist: Waitlist
/** Milliseconds by which the clock of the server is ahead. */
let ahead = 0
beforeAll(async () => {
  server = await startServer({}, { clock: () => Date.now() + ahead })
  bookings = bookingsOn(server)
  waitlist = waitlistOn(server)
  // Its slots are at the same times.
  await bookings.put({ resourceType: 'Schedule', id: 'calendar', ...capacity(1_000), actor: [{ reference: OKAFOR }] })
})
afterAll(() => server.close())
beforeEach(() => waitlist.clear())

/** Holds the slot, as a booking dialog does. @returns the Appointment */
async function hold(slot: string): Promise<Resource> {
  const proposed = await bookings.booked([slot], { status: 'proposed' })
  const parameter = [{ name: 'appointment-reference', valueReference: { reference: `Appointment/${proposed.id}` } }]
  const { body, text } = await server.fhir('POST', '/Appointment/$hold', { resourceType: 'Parameters', parameter })
  expect([await bookings.statusOf(slot), text]).toEqual(['busy-tentative', expect.anything()])
  return body.entry[0].resource
}

/** Books the slot in the change that ends its hold. */
const book = (slot: string, held: Resource, more: object = {}): Promise<FhirResponse> =>
  server.fhir('POST', '/Appointment/$book', {
    resourceType: 'Parameters',
    parameter: [
      { name: 'appointment-resource', resource: visit([slot], more) },
      { name: 'cancelled-appt-id', valueUri: `Appointment/${held.id}` },
    ],
  })

const cancel = (appointment: Resource) => bookings.change(appointment, { status: 'cancelled' })
const expire = async (slot: string): Promise<void> => {
  ahead += 6 * 60_000
  await until(async () => (await bookings.statusOf(slot)) === 'free')
}

/** A slot that was freed, and is offered to an entry. */
async function offered(more: object = {}) {
  const entry = await waitlist.join(more)
  const [slot = ''] = await bookings.freeSlots()
  await bookings.booked([slot]).then(cancel)
  const [task] = await waitlist.openOffers(slot)
  expect(task?.focus?.reference).toBe(`Appointment/${entry.id}`)
  return { entry, slot, task: task as Task, patient: { participant: entry.participant } }
}
const readTask = (task: Task): Promise<Task> => bookings.read(`Task/${task.id}`)

const ENDS: Readonly<Record<string, (held: Resource, slot: string) => Promise<unknown>>> = {
  'is cancelled': cancel,
  'is ended by $cancel': ({ id }) =>
    server.fhir('POST', `/Appointment/${id}/$cancel`, { resourceType: 'Parameters', parameter: [] }),
  'is deleted': ({ id }) => server.fhir('DELETE', `/Appointment/${id}`),
  expires: (_held, slot) => expire(slot),
  'goes to another slot': async (held) => {
    const [other = ''] = await bookings.freeSlots()
    return await bookings.change(held, { slot: slotsOf([other]) })
  },
  'ends, as its patient books another slot': async (held) => {
    const [other = ''] = await bookings.freeSlots()
    return await book(other, held)
  },
}

describe.each(Object.entries(ENDS))('when a hold %s', (_what, end) => {
  test('a slot that was free before is offered to nobody', async () => {
    await waitlist.join()
    const [slot = ''] = await bookings.freeSlots()
    await end(await hold(slot), slot)
    expect([await bookings.statusOf(slot), await waitlist.offeredTo(slot)]).toEqual(['free', []])
    expect((await waitlist.freedSlots()).filter(({ key }) => key === slot)).toEqual([])
  })

  test('an offer of the slot is as it was', async () => {
    const { slot, task } = await offered()
    await end(await hold(slot), slot)
    expect(await bookings.statusOf(slot)).toBe('free')
    expect(await readTask(task)).toEqual(task)
  })
})

describe('the offer of a slot that is held', () => {
  test('is completed when its own patient is booked', async () => {
    const { slot, task, patient } = await offered()
    expect((await book(slot, await hold(slot), patient)).status).toBe(200)
    expect((await readTask(task)).status).toBe('completed')
  })

  test('is cancelled when somebody else is booked', async () => {
    const { slot, task } = await offered()
    expect((await book(slot, await hold(slot))).status).toBe(200)
    expect((await readTask(task)).status).toBe('cancelled')
  })

  test.each<[string, (entry: Resource, task: Task) => Promise<unknown>]>([
    ['does not take it', (_entry, task) => server.fhir('PUT', `/Task/${task.id}`, { ...task, status: 'rejected' })],
    ['waits no more', (entry) => cancel(entry)],
  ])('goes to the next one when its patient %s, once the hold has ended', async (_what, refuse) => {
    const { slot, task, entry } = await offered({ priority: 1 })
    const next = await waitlist.join({ priority: 2 })
    const held = await hold(slot)
    await refuse(entry, task)
    await until(async () => (await readTask(task)).status !== 'requested')
    await cancel(held)
    ahead += 60_000
    await until(async () => (await waitlist.offeredTo(slot))[0] === next.id)
  })
})

test('a slot is offered when a request for it without an end is cancelled, as that had taken it', async () => {
  const entry = await waitlist.join()
  const [slot = ''] = await bookings.freeSlots()
  await bookings.booked([slot], { status: 'pending' }).then(cancel)
  expect(await waitlist.offeredTo(slot)).toEqual([entry.id])
})

describe('a slot of the same practitioner at the time of a hold', () => {
  const beside = async (id: string) => {
    await bookings.put({ resourceType: 'Schedule', id, actor: [{ reference: 'Practitioner/practitioner-lindqvist' }] })
    const [slot = ''] = await bookings.freeSlots(1, { schedule: { reference: `Schedule/${id}` } })
    return slot
  }

  test('is offered to nobody when the hold ends', async () => {
    // One for each of the two slots.
    await waitlist.join()
    await waitlist.join()
    const [slot, other] = [await beside('one'), await beside('other')]
    const held = await hold(slot)
    expect(await bookings.statusOf(other)).toBe('busy-unavailable')
    await cancel(held)
    expect([await bookings.statusOf(other), await waitlist.offeredTo(other)]).toEqual(['free', []])
  })

  test('keeps its offer when the hold ends, and loses it when the hold is booked', async () => {
    const entry = await waitlist.join({}, 'Practitioner/practitioner-lindqvist')
    const [slot, other] = [await beside('third'), await beside('fourth')]
    await bookings.booked([other], participants(PATIENT)).then(cancel)
    const offers = await waitlist.openOffers()
    expect(offers.map(({ focus }) => focus?.reference)).toEqual([`Appointment/${entry.id}`])
    const isOfOther = (await waitlist.offeredTo(other)).length === 1
    const [held, freed] = isOfOther ? [slot, other] : [other, slot]
    await cancel(await hold(held))
    expect(await waitlist.offeredTo(freed)).toEqual([entry.id])
    const booked = await hold(held)
    expect((await bookings.change(booked, { status: 'booked' })).status).toBe(200)
    expect(await waitlist.offeredTo(freed)).toEqual([])
  })
})
