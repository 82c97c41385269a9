/** `_summary` and `_elements`, which select a part of each resource: https://hl7.org/fhir/R4/search.html#summary. */

import { closestName } from '../../fhir/closest-name.ts'
import { type ElementStructure, isResourceType, structureOf } from '../../fhir/definitions.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { typeNames } from '../parameters.ts'
import { oneOf } from '../value.ts'

const SUMMARIES = ['true', 'text', 'data', 'count', 'false'] as const

export type Summary = (typeof SUMMARIES)[number]

export interface Subset {
  readonly summary: Summary | undefined
  /** Top-level elements by their FHIRPath names, of every type (`deceased`) or of one (`Patient.deceased`). */
  readonly elements: readonly string[] | undefined
}

/**
 * The subset that a query requests of resources of `types`; an empty parameter requests nothing. @throws FhirError 400
 */
export function subsetOf(query: URLSearchParams, ...types: readonly string[]): Subset {
  const [summary, elements] = ['_summary', '_elements'].map((name) => query.get(name) || undefined)
  return {
    summary: summary === undefined ? undefined : summaryFrom(summary),
    elements: elements === undefined ? undefined : elementsFrom(elements, types),
  }
}

/** @throws FhirError 400 */
export const summaryFrom = (value: string): Summary => oneOf('_summary', value, SUMMARIES)

/**
 * Parses `name,birthDate`, `Patient.name`, and also `name.family`, `deceased[x]` or `deceasedBoolean` for the whole
 * element; `resourceType` adds nothing.
 * @param types the searched types: a name without a type belongs to one of them
 * @throws FhirError 400
 */
export const elementsFrom = (value: string, types: readonly string[]): readonly string[] =>
  value.split(',').flatMap((path) => elementFrom(path.trim(), value, types) ?? [])

/** A property of the JSON that is not an element, and always present; clients list it with the elements. */
const TYPE_PROPERTY = 'resourceType'

function elementFrom(path: string, value: string, types: readonly string[]): string | undefined {
  const [first = '', ...steps] = path.split('.')
  const typed = isResourceType(first)
  const [name = '', ...below] = typed ? steps : [first, ...steps]
  if (name === TYPE_PROPERTY && below.length === 0) return undefined
  const found = elementIn(name, typed ? [first] : types, value)
  checkBelow(found, below, value)
  return typed ? `${first}.${found.name}` : found.name
}

/** @throws FhirError 400 when no owner has an element of that name */
function elementIn(name: string, owners: readonly string[], value: string): ElementStructure {
  const [found] = owners.flatMap((type) => elementNamed(name, type) ?? [])
  if (found !== undefined) return found
  const near = closestName(name, owners.flatMap(elementNames))
  throw badRequest(
    `_elements=${value}: there is no element '${name}' in ${typeNames(owners)}; ${near === undefined ? '' : `did you mean '${near}'? `}Of another type write Type.element`,
  )
}

/** A path below an element selects the whole element, but it must exist. */
function checkBelow({ properties }: ElementStructure, [name, ...below]: readonly string[], value: string): void {
  if (name !== undefined) checkBelow(elementIn(name, [...properties.values()], value), below, value)
}

const elementsOf = (type: string) => structureOf(type)?.elements ?? []

const elementNames = (type: string): readonly string[] => elementsOf(type).map(({ name }) => name)

/** An element by its name; a choice also by one of its names in JSON. */
const elementNamed = (written: string, type: string): ElementStructure | undefined =>
  elementsOf(type).find(({ name, properties }) => name === written.replace('[x]', '') || properties.has(written))

/** JSON names of `elements` in a resource of `type`: `deceasedBoolean` and `deceasedDateTime` for `deceased`. */
export const propertiesOf = (type: string, elements: readonly string[]): readonly string[] =>
  elementsOf(type)
    .filter(({ name }) => elements.includes(name) || elements.includes(`${type}.${name}`))
    .flatMap(({ properties }) => [...properties.keys()])
