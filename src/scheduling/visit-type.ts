/** The requested kind of visit, in words or codes: `Check-up`, `CHECKUP` or `http://…/v2-0276|CHECKUP`. */
import type { CodeableConcept, Schedule, Slot } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import type { AppointmentType } from './availability.ts'
import { readAvailability } from './availability-extension.ts'

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
