/** Absences of a practitioner, written into the hours of the Schedule: docs/schedule.md. */
import type { Schedule } from 'fhir/r4'
import { get } from '../../api/client.ts'
import { operate, put } from '../../api/operations.ts'
import { type Absence, availabilityOf, withAvailability } from '../../fhir/availability.ts'

/**
 * Changes the absences of the current version, so that nothing else of the hours is touched, and brings the free times in
 * line at once.
 * @throws Problem 412 where somebody has saved at the same moment
 */
async function changeAbsences(id: string, change: (before: readonly Absence[]) => readonly Absence[]): Promise<void> {
  const schedule = await get<Schedule>(`Schedule/${id}`)
  const hours = availabilityOf(schedule)
  if (hours === undefined) throw new Error('There are no working hours of which time could be taken.')
  const absences = change(hours.absences)
  if (absences !== hours.absences) await put(withAvailability(schedule, { ...hours, absences }).schedule)
  await operate(`Schedule/${id}/$generate-slots`, [])
}

const isSameAbsence = (one: Absence, other: Absence): boolean =>
  one.start === other.start && one.end === other.end && one.description === other.description

export const addAbsence = (id: string, absence: Absence): Promise<void> =>
  changeAbsences(id, (before) => (before.some((one) => isSameAbsence(one, absence)) ? before : [...before, absence]))

export const removeAbsence = (id: string, absence: Absence): Promise<void> =>
  changeAbsences(id, (before) => before.filter((one) => !isSameAbsence(one, absence)))
