/** Values of an operation's parameters from the request, by name, in a list for repetition. */
import type { OperationParameter } from '../core/operation.ts'
import { isResourceType } from '../fhir/definitions.ts'
import { isNumber, parseJson } from '../fhir/json.ts'
import { badRequest } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { isCacheBuster, isTransportParameter } from '../search/query/result-parameters.ts'

export type Values = ReadonlyMap<string, readonly unknown[]>

/** @throws FhirError 400 unless the body is Parameters or a resource accepted by a parameter */
export function fromBody(parameters: readonly OperationParameter[], body: unknown): Values {
  if (body === undefined) return new Map()
  if (!isObject(body) || typeof body.resourceType !== 'string') {
    throw badRequest(
      'The body of an operation is a Parameters resource: {"resourceType": "Parameters", "parameter": […]}',
    )
  }
  return body.resourceType === 'Parameters' ? fromParameters(body.parameter) : bareResource(parameters, body)
}

/** Merges two sources; a parameter in both has the values of both. */
export function together(one: Values, other: Values): Values {
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map([...names].map((name) => [name, [...(one.get(name) ?? []), ...(other.get(name) ?? [])]]))
}

/** Voice platforms send null or '' for an argument without a value. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Null and blank strings count as absent; unknown arguments are omitted. */
export function fromArguments(
  parameters: readonly OperationParameter[],
  given: Readonly<Record<string, unknown>>,
): Values {
  const values = new Map<string, readonly unknown[]>()
  for (const parameter of parameters) {
    const { name, max } = parameter
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (isBlank(value)) continue
    values.set(name, max !== '1' && Array.isArray(value) ? value : [plainNumber(parameter, value)])
  }
  return values
}

/** Converts 12500.0 to an integer, for which the lossless parser keeps its text. */
const plainNumber = ({ type }: OperationParameter, value: unknown): unknown =>
  isNumber(value) && type !== 'decimal' ? Number(value) : value

/** Converts the text of a query string to the type in the definition, or leaves it as text, to be refused later. */
export function fromQuery(parameters: readonly OperationParameter[], query: URLSearchParams): Values {
  const values = new Map<string, readonly unknown[]>()
  for (const [name, pairs] of Map.groupBy(query, ([name]) => name)) {
    if (isTransportParameter(name) || isCacheBuster(name) || name === CURSOR) continue
    const type = parameters.find((parameter) => parameter.name === name)?.type
    values.set(
      name,
      pairs.map(([, text]) => fromText(text, type)),
    )
  }
  return values
}

/** Position of the page; it belongs to the response, not to the operation. */
const CURSOR = '_cursor'

const NUMBERS: readonly (string | undefined)[] = ['integer', 'positiveInt', 'unsignedInt', 'decimal']

function fromText(text: string, type: string | undefined): unknown {
  // A plus sign that was not percent-encoded arrives as a space.
  if (type === 'instant' || type === 'dateTime') return text.replace(/ (\d\d:\d\d)$/, '+$1')
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (type !== undefined && isDataType(type)) return fromTextOfDataType(text, type)
  return NUMBERS.includes(type) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** True for types with several elements, such as Timing. */
const isDataType = (type: string): boolean => /^[A-Z]/.test(type) && !isResourceType(type) && !ABSTRACT.has(type)

const ABSTRACT: ReadonlySet<string> = new Set(['Any', 'Element', 'Resource', 'Type'])

/**
 * R4 requires a body if a parameter is not primitive. Clients nevertheless use query strings, in these forms:
 * `Type/id` for a Reference, `system|value` for an Identifier, `system|code` for a Coding, and JSON for any type.
 */
function fromTextOfDataType(text: string, type: string): unknown {
  if (text.startsWith('{')) return objectOr(text)
  if (type === 'Reference') return { reference: text }
  if (type !== 'Identifier' && type !== 'Coding') return text
  const at = text.lastIndexOf('|')
  if (type === 'Coding')
    return at <= 0 ? { code: text.slice(at + 1) } : { system: text.slice(0, at), code: text.slice(at + 1) }
  return at <= 0 ? { value: text.slice(at + 1) } : { system: text.slice(0, at), value: text.slice(at + 1) }
}

/** Returns the text itself if it is not JSON; it is then refused. */
function objectOr(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** Extension that marks an alias of another parameter, for clients that use that name. */
const OTHER_NAME = 'https://sandbox-emr.example/fhir/StructureDefinition/other-name-of-parameter'

const isOtherName = ({ extension = [] }: OperationParameter): boolean => extension.some(({ url }) => url === OTHER_NAME)

function bareResource(parameters: readonly OperationParameter[], resource: Record<string, unknown>): Values {
  const takers = parameters.filter(
    (parameter) =>
      (parameter.type === 'Resource' || parameter.type === resource.resourceType) && !isOtherName(parameter),
  )
  const [taker] = takers
  if (taker !== undefined && takers.length === 1) return new Map([[taker.name, [resource]]])
  throw badRequest(
    `The body must be a Parameters resource; this operation does not take a ${resource.resourceType} by itself`,
  )
}

function fromParameters(entries: unknown): Values {
  const values = new Map<string, unknown[]>()
  if (entries === undefined) return values
  if (!Array.isArray(entries)) throw badRequest('Parameters.parameter must be a list')
  for (const [index, entry] of entries.entries()) {
    const at = `Parameters.parameter[${index}]`
    if (!isObject(entry) || typeof entry.name !== 'string')
      throw badRequest(`${at} must have a name`, { expression: at })
    const value = heldBy(entry, at)
    const known = values.get(entry.name)
    if (known === undefined) values.set(entry.name, [value])
    else known.push(value)
  }
  return values
}

/**
 * The value[x], the resource, or the parts by name (as lists, since a part may repeat). An extension (`_valueString`)
 * belongs to the value of the same type, so next to a value of another type it counts as a second value.
 */
function heldBy(entry: Record<string, unknown>, at: string): unknown {
  const names = Object.keys(entry).map((key) => key.replace(/^_(?=value)/, ''))
  const held = new Set(names.filter((key) => key === 'resource' || key === 'part' || /^value[A-Z]/.test(key)))
  const [key] = held
  if (key === undefined || held.size > 1 || entry[key] === undefined) {
    throw badRequest(`${at} (${String(entry.name)}) must have exactly one of value[x], resource and part`, {
      expression: at,
    })
  }
  return key === 'part' ? Object.fromEntries(fromParameters(entry.part)) : entry[key]
}
