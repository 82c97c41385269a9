/** The name by which people know a resource of any type. */
import type { CodeableConcept, HumanName } from 'fhir/r4'
import { conceptText, nameOf } from './names.ts'

type Members = Readonly<Record<string, unknown>>

/** Elements that hold one, the best first. */
const NAMING = ['name', 'title', 'code', 'type', 'description']

/** Undefined where nothing in it names it. */
export function resourceName(resource: object): string | undefined {
  return NAMING.map((element) => textIn((resource as Members)[element])).find((text) => text !== '')
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return isNames(value) ? nameOf(value) : textIn(value[0])
  return typeof value === 'object' && value !== null ? conceptText(value as CodeableConcept) : ''
}

const isNames = (values: readonly unknown[]): values is readonly HumanName[] =>
  values.every((one) => typeof one === 'object' && one !== null && ('family' in one || 'given' in one || 'use' in one))
