/** The schedule of the demo clinic: days on which a practitioner has nothing yet, visits in their slots, holidays, the clock. */
import type { Appointment, Schedule, Slot } from 'fhir/r4'
import { type Absence, availabilityOf } from '../../dashboard/fhir/availability.ts'
import { dayOf } from '../../dashboard/fhir/time.ts'
import type { TestServer } from './server.ts'

export const ZONE = 'America/New_York'
export const OKAFOR = 'schedule-okafor'

/** Slots of a day without a visit. */
const ALL_FREE = 16

/** The days from tomorrow on that are all free, each with its slots in order. */
export async function freeDays(fhir: TestServer['fhir']): Promise<ReadonlyMap<string, readonly Slot[]>> {
  const from = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await fhir('GET', `/Slot?schedule=${OKAFOR}&status=free&start=gt${from}&_sort=start&_count=200`)
  const free: readonly Slot[] = body.entry.map(({ resource }: { resource: Slot }) => resource)
  const days = Map.groupBy(free, ({ start }) => dayOf(start, ZONE))
  return new Map([...days].filter(([, slots]) => slots.length === ALL_FREE))
}

/** The first of them. */
export async function freeDay(fhir: TestServer['fhir']): Promise<{ day: string; slots: readonly Slot[] }> {
  const [[day, slots] = ['', []]] = await freeDays(fhir)
  return { day, slots }
}

/** The slot at a time of the clinic's clocks: `08:30`. */
export function slotAmong(slots: readonly Slot[], time: string): Slot {
  const slot = slots.find(({ start }) => CLOCK.format(new Date(start)) === time)
  if (slot === undefined) throw new Error(`There is no slot at ${time}`)
  return slot
}

const CLOCK = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, hour: '2-digit', minute: '2-digit' })

/** A visit of a patient that is booked in a slot. */
export const visitIn = ({ id, start, end }: Slot, patient: string, more: Partial<Appointment> = {}): Appointment => ({
  resourceType: 'Appointment',
  status: 'booked',
  slot: [{ reference: `Slot/${id}` }],
  start,
  end,
  participant: [{ status: 'accepted', actor: { reference: `Patient/${patient}` } }],
  ...more,
})

/** The next absence from Monday to Friday, which is a public holiday. */
export function nextHoliday(schedule: Schedule): Absence | undefined {
  const today = dayOf(Date.now(), ZONE)
  const isWeekday = (one: string): boolean => ![0, 6].includes(new Date(`${one}T00:00:00Z`).getUTCDay())
  return availabilityOf(schedule)?.absences.find(({ start }) => start > today && isWeekday(start))
}

/** Sets the clock of the clinic, which goes on from there. @param at milliseconds since 1970 UTC */
export async function setClock({ fhir, login }: TestServer, at: number): Promise<void> {
  const headers = { authorization: `Bearer ${await login('admin', 'admin')}`, 'content-type': 'application/json' }
  const clock = { at: new Date(at).toISOString(), runs: true }
  const { status, text } = await fhir('PUT', '/clinics/demo-clinic/clock', clock, headers)
  if (status !== 200) throw new Error(text)
}
