/**
 * The waitlist: Appointments of status `waitlist` are its entries. Which visits an entry wants, which entry comes first,
 * and which compete. https://hl7.org/fhir/R4/appointment.html, docs/waitlist.md
 */
import type { Appointment, CodeableConcept, Slot } from 'fhir/r4'
import { addressOf } from '../fhir/reference.ts'
import { agree } from './concepts.ts'
import type { ZoneClock } from './zone-clock.ts'
import { type Span, spanOf } from './zoned-period.ts'

type Types = Pick<Slot, 'appointmentType' | 'serviceType' | 'specialty'>

/** A visit that an entry may want: a slot that is free, or an appointment that is booked. */
export interface PossibleVisit extends Span {
  /** What the slot, or the appointment, says of itself. */
  readonly types: Types
  /** `Type/id` of those who see the patient and where, PractitionerRoles with whom and what they stand for. */
  readonly actors: ReadonlySet<string>
}

export interface WaitlistEntry {
  readonly id: string
  readonly resource: Appointment
}

/** What the references and dates of an entry depend on. */
export interface EntryReading {
  readonly baseUrl: string
  /** In the zone of the clinic. */
  readonly clock: ZoneClock
}

const MINUTE = 60_000

/**
 * Whether the visit starts in a requested period, is long enough, of a type that the entry names and with somebody, and at
 * a place, that it names. What the entry leaves open may be anything, and a slot that names no type takes visits of any.
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

/** Of RFC 5545, as Appointment.priority is: 1 comes first, 9 last; 0 is none. */
const NORMAL_PRIORITY = 5

/** By priority, then by when they joined. */
export const byTurn = (one: WaitlistEntry, other: WaitlistEntry): number =>
  priorityOf(one) - priorityOf(other) || joinedAt(one) - joinedAt(other) || (one.id < other.id ? -1 : 1)

const priorityOf = ({ resource: { priority = 0 } }: WaitlistEntry): number => priority || NORMAL_PRIORITY

const joinedAt = ({ resource: { created, meta } }: WaitlistEntry): number =>
  Date.parse(created ?? meta?.lastUpdated ?? '') || 0

/** Whether both may want the same visit: neither asks for a type, or for somebody, that the other does not want. */
function compete(one: Appointment, other: Appointment, baseUrl: string): boolean {
  const [people, others] = [askedPeople(one, baseUrl), askedPeople(other, baseUrl)]
  const isSomebodyShared = people.length === 0 || others.length === 0 || people.some((actor) => others.includes(actor))
  return isSomebodyShared && isOfTypes(one, other)
}

/** 1 for the entry that is offered a visit first, among those that compete with it and itself. */
export const positionOf = (
  entry: WaitlistEntry,
  entries: readonly WaitlistEntry[],
  { baseUrl }: Pick<EntryReading, 'baseUrl'>,
): number =>
  1 +
  entries.filter(
    (other) => other.id !== entry.id && byTurn(other, entry) < 0 && compete(other.resource, entry.resource, baseUrl),
  ).length
