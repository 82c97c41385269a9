/** What kind of visit is asked for, in words or codes: `Check-up`, `CHECKUP` or `http://…/v2-0276|CHECKUP`. */
import type { CodeableConcept, Schedule, Slot } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import type { AppointmentType } from './availability.ts'
import { readAvailability } from './availability-extension.ts'

/** Whether the text is the code, the display or the text of one of the concepts, whatever the case; with `system|`, its code there. */
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

/** A concept of a text: what the text names where it is `system|code`, else the text itself. */
export function conceptOf(text: string): CodeableConcept {
  const [, system, code] = /^([^|]+)\|([^|]+)$/.exec(text) ?? []
  return system === undefined || code === undefined ? { text } : { coding: [{ system, code }] }
}

/** What a Slot can be booked for, of what is asked for. */
export interface VisitKind {
  /** Place in the list of what is asked for; 0 where nothing is. */
  readonly rank: number
  /** Of the Schedule's availability, where it makes the visit what it is: its minutes are the length of the visit. */
  readonly type?: AppointmentType
}

/**
 * The first of the visit types that the Slot can be booked for, undefined where that is none. In a Slot for visits of any type
 * an appointment type of the availability takes place, else the services decide: those of the Slot, else of its Schedule.
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

/** None where its availability cannot be read, as another system wrote it; Slots of people may be there nevertheless. */
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
