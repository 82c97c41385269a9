/** Rules of reserved time: which visits reserve it, of which actors, and how many may overlap. docs/appointment.md */
import type { Appointment, AppointmentParticipant, Location, Schedule } from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { type AppointmentStatus, SLOT_HOLDING_STATUSES } from './appointment-status.ts'
import type { Span } from './zone-clock.ts'

/** Statuses in which a visit reserves time. A no-show reserves none, though the slot stays busy. */
export const RESERVING_STATUSES: readonly AppointmentStatus[] = SLOT_HOLDING_STATUSES.filter(
  (status) => status !== 'noshow',
)

/** Most milliseconds of a visit that reserves time, so that a search of one day finds all that overlap. */
export const LONGEST_VISIT = 86_400_000

/** Types of actors whose time a visit may reserve. */
export const RESERVING_TYPES: ReadonlySet<string> = new Set(['Practitioner', 'PractitionerRole', 'Location', 'Device'])

/** False for a participant who declined, or is only informed. */
export const takesPart = ({ status, required }: AppointmentParticipant): boolean =>
  status !== 'declined' && required !== 'information-only'

const PHYSICAL_TYPE = 'http://terminology.hl7.org/CodeSystem/location-physical-type'
/** Room, bed and vehicle; many visits take place at once in a site, building, level, wing or ward. */
const ROOMS: ReadonlySet<string | undefined> = new Set(['ro', 'bd', 've'])

/** Whether only one visit at a time takes place there. */
export const isRoom = ({ mode, physicalType }: Location): boolean =>
  mode !== 'kind' &&
  physicalType?.coding?.some(({ system, code }) => system === PHYSICAL_TYPE && ROOMS.has(code)) === true

/**
 * The span between two FHIR instants. An empty span counts as one millisecond, so that two at the same time overlap.
 */
export function spanBetween(start: string | undefined, end: string | undefined): Span {
  const from = timeOf(start)
  return { start: from, end: Math.max(timeOf(end), from + 1) }
}

/** The time of a visit in one of these statuses; undefined for another status, or without times. */
export function visitTime(
  { status, start, end }: Pick<Appointment, 'status' | 'start' | 'end'>,
  statuses: readonly AppointmentStatus[] = RESERVING_STATUSES,
): Span | undefined {
  const isTimed = statuses.includes(status) && start !== undefined && end !== undefined
  return isTimed ? spanBetween(start, end) : undefined
}

/** Whether at least `capacity` of these spans overlap at one moment of another span. */
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

/** resources/structure-definitions/schedule-capacity.json; docs/schedule.md explains it. */
const CAPACITY_URL = 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-capacity'
const MOST = 1_000

/** 1 if the Schedule states none. */
export const capacityOf = ({ extension }: Schedule): number =>
  extension?.find(({ url }) => url === CAPACITY_URL)?.valuePositiveInt ?? 1

/** @throws FhirError 422 */
export function checkCapacity({ extension = [] }: Schedule): void {
  const given = extension.filter(({ url }) => url === CAPACITY_URL)
  const [first] = given
  if (first === undefined) return
  const { valuePositiveInt: capacity = 0 } = first
  if (given.length === 1 && capacity >= 1 && capacity <= MOST) return
  throw unprocessable(`A Schedule has the extension ${CAPACITY_URL} once, with valuePositiveInt from 1 to ${MOST}`, {
    expression: `Schedule.extension[${extension.indexOf(first)}]`,
  })
}
