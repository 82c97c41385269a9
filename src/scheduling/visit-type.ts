/**
 * Kinds of visits: as requested, in words or codes (`Check-up`, `CHECKUP` or `http://…/v2-0276|CHECKUP`), and as a Schedule
 * offers them, each with its length and the query for its Slots.
 */
import type { CodeableConcept, Schedule, Slot } from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import { FhirError } from '../fhir/outcome.ts'
import { tokenText } from '../search/value.ts'
import { type AppointmentType, type Availability, readAvailability } from './availability.ts'

/**
 * Whether the text equals the code, display or text of one of the concepts, ignoring case; with `system|`, its code in
 * that system.
 */
export const isAmong = (concepts: readonly CodeableConcept[] = [], text: string): boolean =>
  concepts.some((concept) => means(concept, text))

function means({ coding = [], text }: CodeableConcept, asked: string): boolean {
  const at = asked.indexOf('|')
  if (at === -1)
    return [text, ...coding.flatMap(({ code, display }) => [code, display])].some((one) => isSame(one, asked))
  const [system, wanted] = [asked.slice(0, at), asked.slice(at + 1)]
  return coding.some((one) => isSame(one.system ?? '', system) && (wanted === '' || isSame(one.code, wanted)))
}

const isSame = (one: string | undefined, other: string): boolean =>
  one !== undefined && one.trim().toLowerCase() === other.trim().toLowerCase()

/** A concept with the coding of `system|code`, else with the text. */
export function conceptOf(text: string): CodeableConcept {
  const [, system, code] = /^([^|]+)\|([^|]+)$/.exec(text) ?? []
  return system === undefined || code === undefined ? { text } : { coding: [{ system, code }] }
}

/** The first of the requested kinds of visit that a Slot can be booked for. */
export interface VisitKind {
  /** Index in the list of requested types; 0 if it is empty. */
  readonly rank: number
  /** Appointment type of the Schedule's availability, if that decides: its minutes are the length of the visit. */
  readonly type?: AppointmentType
}

/**
 * The first of the visit types that the Slot can be booked for; undefined if there is none. A Slot for visits of any
 * type accepts the appointment types of the availability; otherwise the services of the Slot, or else of its Schedule,
 * decide.
 */
export function visitKindIn(schedule: Schedule, slot: Slot, visitTypes: readonly string[]): VisitKind | undefined {
  if (visitTypes.length === 0) return { rank: 0 }
  const type = slot.appointmentType === undefined ? firstNamed(appointmentTypesOf(schedule), visitTypes) : undefined
  if (type !== undefined) return type
  const { appointmentType, serviceType = schedule.serviceType, serviceCategory = schedule.serviceCategory } = slot
  const concepts = [...(appointmentType === undefined ? [] : [appointmentType]), ...(serviceType ?? [])]
  const rank = visitTypes.findIndex((text) => isAmong([...concepts, ...(serviceCategory ?? [])], text))
  return rank === -1 ? undefined : { rank }
}

function firstNamed(types: readonly AppointmentType[], visitTypes: readonly string[]): VisitKind | undefined {
  for (const [rank, text] of visitTypes.entries()) {
    const type = types.find((one) => isAmong([one.type], text))
    if (type !== undefined) return { rank, type }
  }
  return undefined
}

const known = new WeakMap<Schedule, readonly AppointmentType[]>()

/**
 * Empty if the availability cannot be read, because another system wrote it; Slots created by users may exist
 * nevertheless.
 */
function appointmentTypesOf(schedule: Schedule): readonly AppointmentType[] {
  const types = known.get(schedule) ?? readTypes(schedule)
  known.set(schedule, types)
  return types
}

function readTypes(schedule: Schedule): readonly AppointmentType[] {
  try {
    return readAvailability(schedule)?.appointmentTypes ?? []
  } catch (error) {
    if (error instanceof FhirError) return []
    throw error
  }
}

type Concepts = readonly CodeableConcept[]

/** All codes as `system|code`. */
export const codesOf = (concepts: Concepts): readonly string[] =>
  concepts.flatMap(({ coding = [] }) => coding.flatMap(({ system = '', code }) => (code ? [`${system}|${code}`] : [])))

/** True if they have a code in common, or either has no code. */
export function agree(some: Concepts = [], others: Concepts = []): boolean {
  const [codes, otherCodes] = [codesOf(some), codesOf(others)]
  return codes.length === 0 || otherCodes.length === 0 || codes.some((code) => otherCodes.includes(code))
}

/** The concepts of the first list with a code that also occurs in the second. */
export function inCommon(some: Concepts, others: Concepts): CodeableConcept[] {
  const codes = codesOf(others)
  return some.filter((concept) => codesOf([concept]).some((code) => codes.includes(code)))
}

export interface OfferedType {
  /** Spoken name. */
  readonly name: string
  readonly durationMinutes: number
  /**
   * Search parameter that finds its Slots: `appointment-type=system|code` for Slots of this type only,
   * `service-type=system|code` for Slots for visits of any type.
   */
  readonly query: string
  /** Identity of the type: equal for types with the same coding, whichever Schedule offers them. */
  readonly code: string
}

/**
 * @param availability availability of the Schedule; absent if its Slots are not generated, so that `slots` show the
 * types
 */
export function typesOf(
  { serviceType = [] }: Pick<Schedule, 'serviceType'>,
  availability: Availability | undefined,
  slots: readonly Slot[],
): readonly OfferedType[] {
  if (availability === undefined) return slots.flatMap((slot) => typesOfSlot(slot, serviceType))
  const { appointmentTypes, weeklyHours, specialHours, slotMinutes } = availability
  const isForAny = [...weeklyHours, ...specialHours].some(({ appointmentType }) => appointmentType === undefined)
  return [
    ...appointmentTypes.flatMap(({ type, minutes }) => typeOf('appointment-type', type, minutes)),
    ...(isForAny ? serviceType.flatMap((type) => typeOf('service-type', type, slotMinutes)) : []),
  ]
}

function typesOfSlot(slot: Slot, ofSchedule: readonly CodeableConcept[]): readonly OfferedType[] {
  const minutes = Math.round((timeOf(slot.end) - timeOf(slot.start)) / 60_000)
  if (!(minutes > 0)) return []
  if (slot.appointmentType !== undefined) return typeOf('appointment-type', slot.appointmentType, minutes)
  return (slot.serviceType ?? ofSchedule).flatMap((type) => typeOf('service-type', type, minutes))
}

/** Identified by its first code; a type without a code has no query. */
function typeOf(
  param: 'appointment-type' | 'service-type',
  { coding = [], text }: CodeableConcept,
  durationMinutes: number,
): readonly OfferedType[] {
  const coded = coding.find((one) => one.code !== undefined)
  if (coded?.code === undefined) return []
  const { system, code, display } = coded
  const query = String(new URLSearchParams({ [param]: tokenText(system, code) }))
  return [{ name: text ?? display ?? code, durationMinutes, query, code: JSON.stringify([system ?? '', code]) }]
}

const BY_NAME = new Intl.Collator('en', { sensitivity: 'base' })

/** Distinct types, with their longest length and first name, sorted by name. */
export function distinctTypes(types: readonly OfferedType[]): readonly OfferedType[] {
  const byCode = new Map<string, OfferedType>()
  for (const type of types) {
    const known = byCode.get(type.code)
    const durationMinutes = Math.max(type.durationMinutes, known?.durationMinutes ?? 0)
    byCode.set(type.code, { ...(known ?? type), durationMinutes })
  }
  return [...byCode.values()].sort(
    (one, other) => BY_NAME.compare(one.name, other.name) || (one.code < other.code ? -1 : 1),
  )
}
