/** The value of a patch operation: value[x], or parts for types without a value[x] in R4 (fhirpatch.html#anonymous). */
import { type ElementStructure, elementsByName } from '../definitions.ts'
import { parseJson } from '../json.ts'
import { badRequest, type FhirError, unprocessable } from '../outcome.ts'
import { isObject, type JsonObject } from '../resource.ts'
import { appendTo, type ElementValue, elementNames, elementOf, isPrimitive, setProperty } from './patch-target.ts'

/** Parameters.parameter.part. */
export type Part = JsonObject & { readonly name: string }

/** A value as given in the Parameters, not yet converted to the type of an element. */
export type PatchValue =
  | { readonly kind: 'value'; readonly type: string; readonly content: ElementValue }
  | { readonly kind: 'parts'; readonly parts: readonly { readonly name: string; readonly given: PatchValue }[] }
  | { readonly kind: 'resource'; readonly resource: unknown }

/** A value with the JSON property it is stored in. */
export interface PropertyValue {
  readonly property: string
  readonly content: ElementValue
}

/** JSON name of value[x] -> type. */
const VALUES: ReadonlyMap<string, string> = elementsByName('Parameters.parameter').get('value')?.properties ?? new Map()

/** @param at FHIRPath of the part. @throws FhirError 400 when it is malformed */
export function readPatchValue(part: Part, at: string): PatchValue {
  const contents = [...new Set(Object.keys(part).map((key) => key.replace(/^_(?=value)/, '')))].filter(
    (key) => key !== 'name' && key !== 'id',
  )
  const [key = ''] = contents
  if (contents.length !== 1) throw badRequest(`${at} must have one of value[x], part and resource`, { expression: at })
  if (key === 'resource') return { kind: 'resource', resource: part.resource }
  if (key === 'part') {
    const parts = readParts(part.part, at)
    return {
      kind: 'parts',
      parts: parts.map((one, index) => ({ name: one.name, given: readPatchValue(one, `${at}.part[${index}]`) })),
    }
  }
  const type = VALUES.get(key)
  if (type === undefined) throw badRequest(`${at}.${key} is not a value[x] of R4`, { expression: at })
  return { kind: 'value', type, content: { value: part[key], sibling: part[`_${key}`] } }
}

/** @throws FhirError 400 unless it is a list of named parts */
export function readParts(parts: unknown, at: string): readonly Part[] {
  if (!Array.isArray(parts) || parts.length === 0)
    throw badRequest(`${at}.part must be a list of parts`, { expression: at })
  return parts.map((part, index) => {
    if (isObject(part) && typeof part.name === 'string') return part as Part
    throw badRequest(`${at}.part[${index}] must have a name`, { expression: `${at}.part[${index}]` })
  })
}

/**
 * Converts a given value to a type of the element.
 * @param name the element name in the operation; of a choice with or without its type (`valueQuantity`)
 * @throws FhirError 422 when the element does not take a value of this type
 */
export function convertValue(given: PatchValue, element: ElementStructure, name: string, at: string): PropertyValue {
  const named = element.name !== name && element.properties.has(name)
  const possible = [...element.properties].filter(([property]) => !named || property === name)
  const fitting = possible.filter(([, type]) => takes(type, given))
  const exact = fitting.filter(([, type]) => given.kind === 'value' && type === given.type)
  const [only] = exact.length > 0 ? exact : fitting
  if (only === undefined || (exact.length === 0 && fitting.length > 1)) throw wrongType(given, name, possible, at)
  const [property, type] = only
  return { property, content: contentOf(given, type, at) }
}

function takes(type: string, given: PatchValue): boolean {
  switch (given.kind) {
    case 'value':
      return familyOf(type) === familyOf(given.type)
    case 'parts':
      return !isPrimitive(type) && type !== 'Resource'
    case 'resource':
      return type === 'Resource'
  }
}

const FAMILIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    text: 'base64Binary canonical code date dateTime id instant markdown oid string time uri url uuid xhtml',
    number: 'decimal integer positiveInt unsignedInt',
    Quantity: 'Age Count Distance Duration MoneyQuantity SimpleQuantity',
  }).flatMap(([family, types]) => types.split(' ').map((type) => [type, family] as const)),
)

/** Types of one family are assignable to each other; the syntax of values is checked when the resource is validated. */
const familyOf = (type: string): string => FAMILIES.get(type) ?? type

function wrongType(
  given: PatchValue,
  name: string,
  possible: readonly (readonly [property: string, type: string])[],
  at: string,
): FhirError {
  const types = possible.map(([, type]) => type).join(', ')
  const is =
    given.kind === 'value'
      ? `is of the type ${given.type}`
      : given.kind === 'parts'
        ? 'consists of parts'
        : 'is a resource'
  const hint = given.kind === 'parts' && possible.length > 1 ? `; name the type too, as in ${possible[0]?.[0]}` : ''
  return unprocessable(`${at}: the value ${is}, but '${name}' takes ${types}${hint}`, {
    expression: at,
    reason: 'patch-value-type',
  })
}

/** A copy: later operations may change the value, and the patch may be applied again, to another version. */
function contentOf(given: PatchValue, type: string, at: string): ElementValue {
  switch (given.kind) {
    case 'value':
      return { value: copy(given.content.value), sibling: copy(given.content.sibling) }
    case 'resource':
      return { value: copy(given.resource), sibling: undefined }
    case 'parts':
      return { value: composed(given.parts, type, at), sibling: undefined }
  }
}

const copy = (value: unknown): unknown => (value === undefined ? undefined : parseJson(JSON.stringify(value)))

function composed(parts: (PatchValue & { kind: 'parts' })['parts'], type: string, at: string): JsonObject {
  const object: JsonObject = {}
  for (const { name, given } of parts) {
    const element = elementOf(type, name)
    if (element === undefined) {
      throw unprocessable(`${at}: '${name}' is not an element of ${type}; it has ${elementNames(type).join(', ')}`, {
        expression: at,
      })
    }
    const { property, content } = convertValue(given, element, name, at)
    if (element.max > 1) appendTo(object, property, content)
    else if (element.properties.keys().some((one) => one in object || `_${one}` in object))
      throw unprocessable(`${at}: '${name}' of ${type} can be given only once`, { expression: at })
    else setProperty(object, property, content)
  }
  return object
}
