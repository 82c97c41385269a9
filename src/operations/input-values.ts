/** Where the values of an operation's parameters come from, by name and as often as they were given. */
import type { OperationParameter } from '../core/operation.ts'
import { isResourceType } from '../fhir/definitions.ts'
import { isNumber, parseJson } from '../fhir/json.ts'
import { badRequest } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { isCacheBuster, isTransportParameter } from '../search/query/result-parameters.ts'

export type Values = ReadonlyMap<string, readonly unknown[]>

/** @throws FhirError 400 for what is neither Parameters nor a resource that a parameter takes */
export function fromBody(parameters: readonly OperationParameter[], body: unknown): Values {
  if (body === undefined) return new Map()
  if (!isObject(body) || typeof body.resourceType !== 'string') {
    throw badRequest(
      'The body of an operation is a Parameters resource: {"resourceType": "Parameters", "parameter": […]}',
    )
  }
  return body.resourceType === 'Parameters' ? fromParameters(body.parameter) : bareResource(parameters, body)
}

/** The values of both; a parameter in both has the values of both. */
export function together(one: Values, other: Values): Values {
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map([...names].map((name) => [name, [...(one.get(name) ?? []), ...(other.get(name) ?? [])]]))
}

/** Voice platforms send null or '' for an argument that the caller has not given. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Null and blank strings count as absent; unknown arguments are left out. */
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

/** 12500.0 is a whole number, but the lossless reader keeps its text. */
const plainNumber = ({ type }: OperationParameter, value: unknown): unknown =>
  isNumber(value) && type !== 'decimal' ? Number(value) : value

/** Query strings carry text: it becomes what the definition says, or stays text and is refused. */
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

/** Where the page before ended: of the answer, not of the operation. */
const CURSOR = '_cursor'

const NUMBERS: readonly (string | undefined)[] = ['integer', 'positiveInt', 'unsignedInt', 'decimal']

function fromText(text: string, type: string | undefined): unknown {
  // A plus sign that was not percent-encoded arrives as a space.
  if (type === 'instant' || type === 'dateTime') return text.replace(/ (\d\d:\d\d)$/, '+$1')
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (type !== undefined && isDataType(type)) return fromTextOfDataType(text, type)
  return NUMBERS.includes(type) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** Of several elements, such as Timing. */
const isDataType = (type: string): boolean => /^[A-Z]/.test(type) && !isResourceType(type) && !ABSTRACT.has(type)

const ABSTRACT: ReadonlySet<string> = new Set(['Any', 'Element', 'Resource', 'Type'])

/**
 * R4 asks for a body where a parameter is no primitive. What clients put into an address nevertheless: `Type/id` for a
 * Reference, `system|value` for an Identifier, `system|code` for a Coding, and JSON for any.
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

/** The text itself where it is no JSON; then it is refused as such. */
function objectOr(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** Extension of a parameter that is there for clients that know another one by its name. */
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
 * value[x], the resource, or the parts by name (lists, as a part may repeat). An extension (`_valueString`) belongs to the
 * value of its type, so beside the value of another one it is a second.
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
