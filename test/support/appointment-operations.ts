/** The operations on Appointment, called on a server of the tests: $hold, $book and those on one appointment. */
import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import type { Slot } from 'fhir/r4'
import { proposalIds } from '../../src/booking/proposal.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import type { VisitContext } from '../../src/scheduling/proposed-appointment.ts'
import { type Bookings, bookingsOn, capacity, PATIENT, type Resource } from './booking.ts'
import { type FhirResponse, startServer, type TestServer } from './server.ts'

export type Parameter = { readonly name: string; readonly [value: string]: unknown }

export const parameters = (...parameter: readonly Parameter[]) => ({ resourceType: 'Parameters', parameter })

export const reference = (name: string, address: string): Parameter => ({
  name,
  valueReference: { reference: address },
})

/** The time of a server, in milliseconds since 1970 UTC, as a test sets it. */
export interface Clock {
  now: number
}

/** A server with an empty calendar. */
export async function startCalendar(): Promise<{
  readonly server: TestServer
  readonly visits: Visits
  readonly clock: Clock
}> {
  const clock: Clock = { now: Date.now() }
  const server = await startServer({}, { clock: () => clock.now })
  const visits = visitsOn(server)
  await visits.open()
  return { server, visits, clock }
}

export type Visits = ReturnType<typeof visitsOn>

/** Helpers for tests of holds and bookings; each test has a calendar of its own. */
export function visitsOn(server: Pick<TestServer, 'fhir' | 'app'>, clinic = DEMO_CLINIC) {
  const bookings: Bookings = bookingsOn(server)
  const calendar = `calendar-${randomUUID().slice(0, 8)}`
  const access = server.app.access(clinic, { kind: 'server' })
  const call = (path: string, ...given: readonly Parameter[]): Promise<FhirResponse> =>
    server.fhir('POST', `/Appointment/${path}`, given.length === 0 ? undefined : parameters(...given))
  const onlyAppointment = (answer: FhirResponse): Resource => {
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    const { type, total, entry } = answer.body
    expect([type, total, entry.length]).toEqual(['searchset', 1, 1])
    return entry[0].resource
  }
  const hold = (id: string) => call('$hold', reference('appointment-reference', `Appointment/${id}`))
  const book = (id: string, ...more: readonly Parameter[]) =>
    call('$book', reference('appointment-reference', `Appointment/${id}`), ...more)
  return {
    ...bookings,
    post: bookings.book,
    calendar,
    call,
    hold,
    book,
    onlyAppointment,
    held: async (id: string) => onlyAppointment(await hold(id)),
    bookedAs: async (id: string, ...more: readonly Parameter[]) => onlyAppointment(await book(id, ...more)),
    /** The calendar of the practitioner, who has many visits at one time: tests use the same half hours. */
    open: async (actor: string = 'Practitioner/practitioner-okafor', schedule = calendar): Promise<void> => {
      await bookings.put({ resourceType: 'Schedule', id: schedule, ...capacity(1_000), actor: [{ reference: actor }] })
    },
    /** `count` free half hours in a row, of the calendar. */
    slots: (count = 1, more: object = {}) =>
      bookings.freeSlots(count, { schedule: { reference: `Schedule/${calendar}` }, ...more }),
    /** The id under which $find offers these slots. */
    offer: async (ids: readonly string[], context: VisitContext = { patients: [PATIENT] }): Promise<string> => {
      const found = await Promise.all(ids.map(async (id) => (await access.reader()).read<Slot>('Slot', id)))
      const [first, ...others] = found.map(({ id, resource }) => ({ ...resource, id }))
      if (first === undefined) throw new Error('no slots')
      const [id = ''] = await proposalIds(access, [[first, ...others]], context)
      return id
    },
  }
}
