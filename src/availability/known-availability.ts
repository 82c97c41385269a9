/** The working hours of a stored Schedule, read once for each of its versions: a hundred of each kind take milliseconds. */
import type { Schedule } from 'fhir/r4'
import { parsedOnce } from '../core/parsed-definitions.ts'
import type { Versioned } from '../repository/repository.ts'
import type { Availability } from '../scheduling/availability.ts'
import { readAvailability } from '../scheduling/availability-extension.ts'

/** Characters of Schedules that are kept parsed. */
const MAX_PARSED = 4_000_000
const parsed = parsedOnce<Schedule>(MAX_PARSED)

const known = new WeakMap<Schedule, { readonly availability: Availability | undefined }>()

/** The same object for the same version: it is not to be changed. */
export const parsedSchedule = (clinic: string, found: Versioned<Schedule>): Schedule => parsed(clinic, found)

/**
 * Undefined where it has none, and so no Slots are generated for it.
 * @param schedule that of `parsedSchedule`
 * @throws FhirError 422 with an issue for each element at fault
 */
export function availabilityOf(schedule: Schedule): Availability | undefined {
  const entry = known.get(schedule) ?? { availability: readAvailability(schedule) }
  known.set(schedule, entry)
  return entry.availability
}
