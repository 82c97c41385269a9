/** Rules of reserved time: which visits reserve it, of which actors, and how many overlap. docs/appointment.md */
import type { Appointment, AppointmentParticipant, Location } from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import { type AppointmentStatus, SLOT_HOLDING_STATUSES } from './appointment-status.ts'
import type { Span } from './zoned-period.ts'

/** The statuses in which a visit reserves time. A patient who has not come takes nobody's time, though the slot stays busy. */
export const RESERVING_STATUSES: readonly AppointmentStatus[] = SLOT_HOLDING_STATUSES.filter(
  (status) => status !== 'noshow',
)

/** Longer visits are refused where they reserve time, so that a search of a day finds all that overlap. */
export const LONGEST_VISIT = 86_400_000

/** Types of actors whose time a visit may reserve. */
export const RESERVING_TYPES: ReadonlySet<string> = new Set(['Practitioner', 'PractitionerRole', 'Location', 'Device'])

/** False for somebody who declined, or is only informed. */
export const takesPart = ({ status, required }: AppointmentParticipant): boolean =>
  status !== 'declined' && required !== 'information-only'

const PHYSICAL_TYPE = 'http://terminology.hl7.org/CodeSystem/location-physical-type'
/** Room, bed and vehicle; a site, a building, a level, a wing or a ward is visited by many at one time. */
const ROOMS: ReadonlySet<string | undefined> = new Set(['ro', 'bd', 've'])

/** Whether one visit at a time takes place there. */
export const isRoom = ({ mode, physicalType }: Location): boolean =>
  mode !== 'kind' &&
  physicalType?.coding?.some(({ system, code }) => system === PHYSICAL_TYPE && ROOMS.has(code)) === true

/** Between two FHIR instants. A span without length counts as a millisecond, so that two at one time overlap. */
export function spanBetween(start: string | undefined, end: string | undefined): Span {
  const from = timeOf(start)
  return { start: from, end: Math.max(timeOf(end), from + 1) }
}

/** The time of a visit in one of these statuses; undefined for another one, and for one without times. */
export function visitTime(
  { status, start, end }: Pick<Appointment, 'status' | 'start' | 'end'>,
  statuses: readonly AppointmentStatus[] = RESERVING_STATUSES,
): Span | undefined {
  const isTimed = statuses.includes(status) && start !== undefined && end !== undefined
  return isTimed ? spanBetween(start, end) : undefined
}

/** Whether so many of these spans, or more, overlap at one moment of another span. */
export function isFull(spans: readonly Span[], { start, end }: Span, capacity: number): boolean {
  const within = spans.filter((span) => span.start < end && start < span.end)
  if (within.length < capacity) return false
  const starts = within.map((span) => Math.max(span.start, start)).sort((one, other) => one - other)
  const ends = within.map((span) => span.end).sort((one, other) => one - other)
  let ended = 0
  return starts.some((moment, index) => {
    while ((ends[ended] ?? Number.POSITIVE_INFINITY) <= moment) ended += 1
    return index + 1 - ended >= capacity
  })
}
