/** The value of a patch operation: value[x], or parts where R4 has no value[x] of the type (fhirpatch.html#anonymous). */
import { type ElementStructure, structureOf } from '../definitions.ts'
import { parseJson } from '../json.ts'
import { badRequest, type FhirError, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import {
  type Content,
  changeItems,
  elementNames,
  elementOf,
  isPrimitive,
  type JsonObject,
  setProperty,
} from './place.ts'

/** Parameters.parameter.part. */
export type Part = JsonObject & { readonly name: string }

/** As Parameters hold it, not yet fitted to the place where it goes. */
export type Given =
  | { readonly kind: 'value'; readonly type: string; readonly content: Content }
  | { readonly kind: 'parts'; readonly parts: readonly { readonly name: string; readonly given: Given }[] }
  | { readonly kind: 'resource'; readonly resource: unknown }

/** What goes under which JSON name of an element. */
export interface Fitted {
  readonly property: string
  readonly content: Content
}

/** JSON names of value[x] with their types. */
const VALUES: ReadonlyMap<string, string> =
  structureOf('Parameters.parameter')?.elements.find(({ name }) => name === 'value')?.properties ?? new Map()

/** @param at FHIRPath of the part. @throws FhirError 400 */
export function readGiven(part: Part, at: string): Given {
  const held = [...new Set(Object.keys(part).map((key) => key.replace(/^_(?=value)/, '')))].filter(
    (key) => key !== 'name' && key !== 'id',
  )
  const [key = ''] = held
  if (held.length !== 1) throw badRequest(`${at} must have one of value[x], part and resource`, { expression: at })
  if (key === 'resource') return { kind: 'resource', resource: part.resource }
  if (key === 'part') {
    const parts = readParts(part.part, at)
    return {
      kind: 'parts',
      parts: parts.map((one, index) => ({ name: one.name, given: readGiven(one, `${at}.part[${index}]`) })),
    }
  }
  const type = VALUES.get(key)
  if (type === undefined) throw badRequest(`${at}.${key} is no value[x] of R4`, { expression: at })
  return { kind: 'value', type, content: { value: part[key], sibling: part[`_${key}`] } }
}

/** @throws FhirError 400 */
export function readParts(parts: unknown, at: string): readonly Part[] {
  if (!Array.isArray(parts) || parts.length === 0)
    throw badRequest(`${at}.part must be a list of parts`, { expression: at })
  return parts.map((part, index) => {
    if (isObject(part) && typeof part.name === 'string') return part as Part
    throw badRequest(`${at}.part[${index}] must have a name`, { expression: `${at}.part[${index}]` })
  })
}

/**
 * @param name the element as the operation names it: a choice without its type, or with it (`valueQuantity`)
 * @throws FhirError 422 when the type is not one the element takes
 */
export function fitted(given: Given, element: ElementStructure, name: string, at: string): Fitted {
  const named = element.name !== name && element.properties.has(name)
  const possible = [...element.properties].filter(([property]) => !named || property === name)
  const fitting = possible.filter(([, type]) => takes(type, given))
  const exact = fitting.filter(([, type]) => given.kind === 'value' && type === given.type)
  const [only] = exact.length > 0 ? exact : fitting
  if (only === undefined || (exact.length === 0 && fitting.length > 1)) throw wrongType(given, name, possible, at)
  const [property, type] = only
  return { property, content: contentOf(given, type, at) }
}

function takes(type: string, given: Given): boolean {
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

/** Types whose values can stand for one another, if they have the right form: that is checked with the whole resource. */
const familyOf = (type: string): string => FAMILIES.get(type) ?? type

function wrongType(
  given: Given,
  name: string,
  possible: readonly (readonly [property: string, type: string])[],
  at: string,
): FhirError {
  const types = possible.map(([, type]) => type).join(', ')
  const is =
    given.kind === 'value'
      ? `is of the type ${given.type}`
      : given.kind === 'parts'
        ? 'is made of parts'
        : 'is a resource'
  const hint = given.kind === 'parts' && possible.length > 1 ? `; name the type too, as in ${possible[0]?.[0]}` : ''
  return unprocessable(`${at}: the value ${is}, but '${name}' takes ${types}${hint}`, {
    expression: at,
    reason: 'patch-value-type',
  })
}

/** A copy: later operations change what an earlier one put in, and the patch may be applied again, to another version. */
function contentOf(given: Given, type: string, at: string): Content {
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

function composed(parts: (Given & { kind: 'parts' })['parts'], type: string, at: string): JsonObject {
  const object: JsonObject = {}
  for (const { name, given } of parts) {
    const element = elementOf(type, name)
    if (element === undefined) {
      throw unprocessable(`${at}: '${name}' is no element of ${type}; it has ${elementNames(type).join(', ')}`, {
        expression: at,
      })
    }
    const { property, content } = fitted(given, element, name, at)
    if (element.max > 1) changeItems(object, property, (items) => [...items, content])
    else if (element.properties.keys().some((one) => one in object || `_${one}` in object))
      throw unprocessable(`${at}: '${name}' of ${type} can be given once`, { expression: at })
    else setProperty(object, property, content)
  }
  return object
}
