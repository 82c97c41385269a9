/** The waitlist of the demo clinic, on a server of the tests: entries that join, and the offers that they get. */
import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import type { Task } from 'fhir/r4'
import { FREED_SLOT } from '../../src/booking/waitlist.ts'
import { bookingsOn, type Resource } from './booking.ts'
import type { TestServer } from './server.ts'
import { until } from './server-process.ts'

export const participants = (...references: readonly string[]) => ({
  participant: references.map((reference) => ({ actor: { reference }, status: 'accepted' })),
})

export type Waitlist = ReturnType<typeof waitlistOn>

export function waitlistOn(server: Pick<TestServer, 'fhir' | 'app'>) {
  const bookings = bookingsOn(server)
  const all = async <R>(query: string): Promise<readonly R[]> =>
    ((await bookings.read(query)).entry ?? []).map(({ resource }: { resource: R }) => resource)

  const freedSlots = () => server.app.repository.records(FREED_SLOT, { clinic: 'demo-clinic', limit: 100 })

  const newPatient = async (): Promise<string> => {
    const id = `waits-${randomUUID()}`
    await bookings.put({ resourceType: 'Patient', id, name: [{ family: 'Waits' }] })
    return `Patient/${id}`
  }

  /** Joins the waitlist. @returns the entry */
  const join = async (more: object = {}, ...actors: readonly string[]): Promise<Resource> => {
    const body = {
      resourceType: 'Appointment',
      status: 'waitlist',
      ...participants(await newPatient(), ...actors),
      ...more,
    }
    const answer = await bookings.book(body)
    expect([answer.status, answer.text]).toEqual([201, expect.anything()])
    return answer.body
  }

  const openOffers = (slotId?: string): Promise<readonly Task[]> =>
    all<Task>('Task?code=waitlist-offer&status=requested&_count=200').then((tasks) =>
      tasks.filter(({ input }) => slotId === undefined || input?.[0]?.valueReference?.reference === `Slot/${slotId}`),
    )

  /** The entries to whom a slot is offered. */
  const offeredTo = async (slotId: string): Promise<readonly (string | undefined)[]> =>
    (await openOffers(slotId)).map(({ focus }) => focus?.reference?.split('/')[1])

  /** Cancels all entries, and waits until their offers have ended, so that those are not offered to entries of the next test. */
  const clear = async (): Promise<void> => {
    for (const entry of await all<Resource>('Appointment?status=waitlist'))
      await bookings.change(entry, { status: 'cancelled' })
    await until(async () => (await freedSlots()).length === 0)
  }

  return { all, clear, freedSlots, join, newPatient, offeredTo, openOffers }
}
