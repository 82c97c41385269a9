/**
 * The working hours of a stored Schedule, parsed once per version, as a hundred entries of each kind take milliseconds.
 */
import type { Schedule } from 'fhir/r4'
import { parsedOnce } from '../core/terminology.ts'
import type { Versioned } from '../repository/repository.ts'
import { type Availability, readAvailability } from '../scheduling/availability.ts'

/** Most characters of Schedules kept parsed. */
const MAX_PARSED = 4_000_000
const parsed = parsedOnce<Schedule>(MAX_PARSED)

const known = new WeakMap<Schedule, { readonly availability: Availability | undefined }>()

/** Returns the same object for the same version; it must not be changed. */
export const parsedSchedule = (clinic: string, found: Versioned<Schedule>): Schedule => parsed(clinic, found)

/**
 * Returns undefined if it has none, so that no Slots are generated.
 * @param schedule a result of `parsedSchedule`
 * @throws FhirError 422 with an issue for each invalid element
 */
export function availabilityOf(schedule: Schedule): Availability | undefined {
  const entry = known.get(schedule) ?? { availability: readAvailability(schedule) }
  known.set(schedule, entry)
  return entry.availability
}
