/**
 * The waitlist, whose entries are Appointments with status `waitlist`: the visits that an entry wants, the order of
 * entries, and the competition between them. https://hl7.org/fhir/R4/appointment.html, docs/waitlist.md
 */
import type { Appointment, CodeableConcept, Slot } from 'fhir/r4'
import { addressOf } from '../fhir/reference.ts'
import { agree } from './visit-type.ts'
import { type Span, spanOf, type ZoneClock } from './zone-clock.ts'

type Types = Pick<Slot, 'appointmentType' | 'serviceType' | 'specialty'>

/** A visit that an entry may want: a free slot, or a booked appointment. */
export interface PossibleVisit extends Span {
  /** Types stated by the slot or the appointment. */
  readonly types: Types
  /** `Type/id` of people and places, including the practitioners and places of PractitionerRoles. */
  readonly actors: ReadonlySet<string>
}

export interface WaitlistEntry {
  readonly id: string
  readonly resource: Appointment
}

/** Context for the references and dates of an entry. */
export interface EntryReading {
  readonly baseUrl: string
  /** Clock of the clinic's time zone. */
  readonly clock: ZoneClock
}

const MINUTE = 60_000

/**
 * Whether the visit starts in a requested period, is long enough, and has a type, person and place that the entry
 * names. Anything that the entry leaves open may have any value, and a slot without a type accepts visits of any type.
 */
export function wants(entry: Appointment, visit: PossibleVisit, { baseUrl, clock }: EntryReading): boolean {
  const { requestedPeriod = [], minutesDuration = 0 } = entry
  const isInTime = ({ start, end }: Span) => visit.start >= start && visit.start < end
  return (
    visit.end - visit.start >= minutesDuration * MINUTE &&
    (requestedPeriod.length === 0 || requestedPeriod.some((period) => isInTime(spanOf(period, clock)))) &&
    isOfTypes(entry, visit.types) &&
    [askedPeople(entry, baseUrl), askedPlaces(entry, baseUrl)].every(
      (asked) => asked.length === 0 || asked.some((actor) => visit.actors.has(actor)),
    )
  )
}

const isOfTypes = (entry: Types, offered: Types): boolean =>
  agree(listed(entry.appointmentType), listed(offered.appointmentType)) &&
  agree(entry.serviceType, offered.serviceType) &&
  agree(entry.specialty, offered.specialty)

const listed = (concept: CodeableConcept | undefined): readonly CodeableConcept[] =>
  concept === undefined ? [] : [concept]

const PEOPLE = /^(Practitioner|PractitionerRole|HealthcareService|Device)\//
const PLACES = /^Location\//

const askedPeople = (entry: Appointment, baseUrl: string) => actorsOf(entry, baseUrl).filter((one) => PEOPLE.test(one))
const askedPlaces = (entry: Appointment, baseUrl: string) => actorsOf(entry, baseUrl).filter((one) => PLACES.test(one))

/** `Type/id` of the participants. */
export const actorsOf = ({ participant }: Appointment, baseUrl: string): readonly string[] =>
  participant.flatMap(({ actor }) => (actor?.reference === undefined ? [] : [addressOf(actor.reference, baseUrl)]))

/** Priority of RFC 5545, as in Appointment.priority: 1 is the highest, 9 the lowest, 0 undefined. */
const NORMAL_PRIORITY = 5

/** Sorts by priority, then by the time of joining. */
export const byTurn = (one: WaitlistEntry, other: WaitlistEntry): number =>
  priorityOf(one) - priorityOf(other) || joinedAt(one) - joinedAt(other) || (one.id < other.id ? -1 : 1)

const priorityOf = ({ resource: { priority = 0 } }: WaitlistEntry): number => priority || NORMAL_PRIORITY

const joinedAt = ({ resource: { created, meta } }: WaitlistEntry): number =>
  Date.parse(created ?? meta?.lastUpdated ?? '') || 0

/** Whether both may want the same visit: neither requires a type or a person that the other excludes. */
function compete(one: Appointment, other: Appointment, baseUrl: string): boolean {
  const [people, others] = [askedPeople(one, baseUrl), askedPeople(other, baseUrl)]
  const isSomebodyShared = people.length === 0 || others.length === 0 || people.some((actor) => others.includes(actor))
  return isSomebodyShared && isOfTypes(one, other)
}

/** The position of the entry among its competitors; 1 gets the first offer. */
export const positionOf = (
  entry: WaitlistEntry,
  entries: readonly WaitlistEntry[],
  { baseUrl }: Pick<EntryReading, 'baseUrl'>,
): number =>
  1 +
  entries.filter(
    (other) => other.id !== entry.id && byTurn(other, entry) < 0 && compete(other.resource, entry.resource, baseUrl),
  ).length
