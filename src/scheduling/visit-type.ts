/** What kind of visit is asked for, in words or codes: `Check-up`, `CHECKUP` or `http://…/v2-0276|CHECKUP`. */
import type { CodeableConcept, Schedule } from 'fhir/r4'
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

/** The first of the texts that names an appointment type of the Schedule's availability decides. */
export function typeAskedFor(schedule: Schedule, visitTypes: readonly string[]): AppointmentType | undefined {
  if (visitTypes.length === 0) return undefined
  const types = appointmentTypesOf(schedule)
  for (const text of visitTypes) {
    const found = types.find(({ type }) => isAmong([type], text))
    if (found !== undefined) return found
  }
  return undefined
}

/** None where its availability cannot be read, as another system wrote it; Slots of people may be there nevertheless. */
function appointmentTypesOf(schedule: Schedule): readonly AppointmentType[] {
  try {
    return readAvailability(schedule)?.appointmentTypes ?? []
  } catch (error) {
    if (error instanceof FhirError) return []
    throw error
  }
}
