/**
 * The parameters of an operation, by its OperationDefinition. In parameters are read from a Parameters resource, a bare
 * resource or a query string (https://hl7.org/fhir/R4/operations.html#request), or from the plain JSON arguments of a tool
 * call, and checked; all problems are reported together. Out parameters make its response:
 * https://hl7.org/fhir/R4/operations.html#response.
 */
import type { OperationDefinition } from 'fhir/r4'
import {
  type IgnoredArgument,
  isNothing,
  type OperationAnswer,
  type OperationInput,
  type OperationParameter,
  parametersOf,
} from '../core/operation.ts'
import { closestName } from '../fhir/closest-name.ts'
import { isResourceType } from '../fhir/definitions.ts'
import { isNumber, parseJson } from '../fhir/json.ts'
import { badRequest, FhirError, type Issue } from '../fhir/outcome.ts'
import { type AnyResource, isObject, listOf } from '../fhir/resource.ts'
import { PRIMITIVES } from '../fhir/validate/primitives.ts'
import { isCacheBuster, isTransportParameter } from '../search/query/result-parameters.ts'

type Definition = Pick<OperationDefinition, 'parameter'>

/** Extension of a parameter that is accepted without effect: any value is valid, and no handler receives it. */
const IGNORED_PARAMETER = 'https://sandbox-emr.example/fhir/StructureDefinition/ignored-parameter'

const isIgnored = ({ extension = [] }: OperationParameter): boolean =>
  extension.some(({ url, valueBoolean }) => url === IGNORED_PARAMETER && valueBoolean === true)

/**
 * @param body a Parameters resource, the bare resource if the definition has one parameter that accepts it, or
 * undefined
 * @param query the query of a GET; with a POST it adds to the body, as R4 requires if that is a bare resource
 * @param isLenient unknown parameters are ignored
 * @throws FhirError 400 with an issue for each invalid parameter
 */
export function readInput(
  definition: Definition,
  body: unknown,
  query = new URLSearchParams(),
  isLenient = false,
): OperationInput {
  const parameters = parametersOf(definition, 'in')
  const values = together(fromBody(parameters, body), fromQuery(parameters, query))
  return checked(parameters, isLenient ? onlyKnown(parameters, values) : values, 'parameter')
}

const onlyKnown = (parameters: readonly OperationParameter[], values: Values): Values =>
  new Map([...values].filter(([known]) => parameters.some(({ name }) => name === known)))

/** The parameters that the operation does not have, as `readInput` ignores them for a lenient client. */
export function ignoredParameters(
  definition: Definition,
  body: unknown,
  query: URLSearchParams,
): readonly IgnoredArgument[] {
  const parameters = parametersOf(definition, 'in')
  const values = together(fromBody(parameters, body), fromQuery(parameters, query))
  return ignoredArguments(definition, Object.fromEntries(values))
}

/**
 * Reads the arguments of a tool call: null, blank strings and an optional "none" count as absent, unknown arguments are
 * omitted.
 * @throws FhirError 400 with the reason `missing-argument` or `invalid-argument`
 */
export function readArguments(definition: Definition, given: Readonly<Record<string, unknown>>): OperationInput {
  const parameters = parametersOf(definition, 'in')
  return checked(parameters, fromArguments(parameters, given), 'argument')
}

/** The known, non-blank arguments as received, for handlers that check each of them. */
export const knownArguments = (definition: Definition, given: Readonly<Record<string, unknown>>): OperationInput =>
  Object.fromEntries(
    parametersOf(definition, 'in')
      .filter((parameter) => !isIgnored(parameter))
      .filter(({ name }) => Object.hasOwn(given, name) && !isBlank(given[name]))
      .map(({ name }) => [name, given[name]]),
  )

/** Most characters of the name of an unknown argument in the result. */
const MAX_NAME = 100

/** The arguments that the tool does not have, unless they are blank. */
export function ignoredArguments(
  definition: Definition,
  given: Readonly<Record<string, unknown>>,
): readonly IgnoredArgument[] {
  const known = parametersOf(definition, 'in').map(({ name }) => name)
  const unknown = Object.keys(given).filter((name) => !known.includes(name) && !isBlank(given[name]))
  return unknown.slice(0, MAX_UNKNOWN).map((name) => {
    const nearest = closestName(name, known)
    return { name: name.slice(0, MAX_NAME), ...(nearest === undefined ? {} : { nearest }) }
  })
}

/**
 * The number of results that the request asks for; undefined where it asks for none in particular.
 * @throws FhirError 400 below 1
 */
export function countIn({ _count: count }: OperationInput): number | undefined {
  if (typeof count !== 'number') return undefined
  if (count >= 1) return count
  throw badRequest(`_count is ${count}; it must be 1 or more`, { expression: '_count' })
}

/** Most unknown parameters listed in the response. */
const MAX_UNKNOWN = 100

/** Checks the values against the definition. @param noun the client's term for them, for messages */
function checked(
  parameters: readonly OperationParameter[],
  values: Values,
  noun: 'parameter' | 'argument',
): OperationInput {
  const known = new Set(parameters.map(({ name }) => name))
  const used = parameters.filter((parameter) => !isIgnored(parameter))
  const unknown = [...values.keys()].filter((name) => !known.has(name)).slice(0, MAX_UNKNOWN)
  const issues = [
    ...unknown.map((name) =>
      issue(noun, 'unknown', name, `is not known; this operation takes ${[...known].join(', ') || 'none'}`),
    ),
    ...used.flatMap((parameter) => problemsOf(parameter, values.get(parameter.name) ?? [], noun)),
  ]
  if (issues.length > 0) throw new FhirError(400, issues)
  return Object.fromEntries(used.flatMap((parameter) => entryOf(parameter, values.get(parameter.name) ?? [])))
}

const entryOf = (
  { name, max }: OperationParameter,
  values: readonly unknown[],
): readonly (readonly [string, unknown])[] => (values.length === 0 ? [] : [[name, max === '1' ? values[0] : values]])

function problemsOf(
  parameter: OperationParameter,
  values: readonly unknown[],
  noun: 'parameter' | 'argument',
): readonly Issue[] {
  const { name, min, max } = parameter
  const expected = expectation(parameter)
  if (values.length < min) return [issue(noun, 'missing', name, `is missing; it must be ${expected}`)]
  if (max !== '*' && values.length > Number(max))
    return [
      issue(
        noun,
        'invalid',
        name,
        `is given ${values.length} times; it may be given ${max === '1' ? 'once' : `${max} times`}`,
      ),
    ]
  if (values.some((value) => isBlank(value) || !accepts(parameter, value)))
    return [issue(noun, 'invalid', name, `must be ${expected}`)]
  return values.flatMap((value) => problemsOfParts(parameter, value, noun))
}

/** Checks the parts of a value, as lists by name. */
function problemsOfParts(
  { name, part }: OperationParameter,
  value: unknown,
  noun: 'parameter' | 'argument',
): readonly Issue[] {
  if (part === undefined || !isObject(value)) return []
  const unknown = Object.keys(value)
    .filter((key) => !part.some((one) => one.name === key))
    .slice(0, MAX_UNKNOWN)
  return [
    ...unknown.map((key) =>
      issue(noun, 'unknown', `${name}.${key}`, `is not known; ${name} has ${part.map((one) => one.name).join(', ')}`),
    ),
    ...part.flatMap((one) => problemsOf({ ...one, name: `${name}.${one.name}` }, [value[one.name] ?? []].flat(), noun)),
  ]
}

const ISSUE_CODES = { missing: 'required', invalid: 'value', unknown: 'not-supported' } as const

function issue(noun: 'parameter' | 'argument', fault: keyof typeof ISSUE_CODES, name: string, what: string): Issue {
  return {
    code: ISSUE_CODES[fault],
    diagnostics: `${noun === 'parameter' ? 'Parameter' : 'Argument'} ${name} ${what}`,
    expression: name,
    reason: `${fault}-${noun}`,
  }
}

function expectation({ type, part }: OperationParameter): string {
  if (part !== undefined) return `made of the parts ${part.map(({ name }) => name).join(', ')}`
  if (type === undefined || ANY.includes(type)) return 'given'
  return (
    TEXT.get(type) ??
    PRIMITIVES.get(type)?.expected ??
    (isResource(type) ? `a ${type}${type === 'Resource' ? '' : ' resource'}` : `an object of the type ${type}`)
  )
}

/** Simpler type names for messages about a missing value. */
const TEXT: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['markdown', 'text'],
])

/** Types that allow any value. */
const ANY = ['Any', 'Element', 'Type', '*']

const isResource = (type: string): boolean => type === 'Resource' || isResourceType(type)

function accepts({ type = 'Any', part }: OperationParameter, value: unknown): boolean {
  if (part !== undefined) return isObject(value)
  if (ANY.includes(type)) return true
  const primitive = PRIMITIVES.get(type)
  if (primitive !== undefined) return primitive.accepts(value)
  if (!isObject(value)) return false
  return isResource(type)
    ? typeof value.resourceType === 'string' && (type === 'Resource' || value.resourceType === type)
    : !('resourceType' in value)
}

/** The values of the parameters, by name; a list, as a parameter may be given several times. */
type Values = ReadonlyMap<string, readonly unknown[]>

/** @throws FhirError 400 unless the body is Parameters or a resource accepted by a parameter */
function fromBody(parameters: readonly OperationParameter[], body: unknown): Values {
  if (body === undefined) return new Map()
  if (!isObject(body) || typeof body.resourceType !== 'string') {
    throw badRequest(
      'The body of an operation is a Parameters resource: {"resourceType": "Parameters", "parameter": […]}',
    )
  }
  return body.resourceType === 'Parameters' ? fromParameters(body.parameter) : bareResource(parameters, body)
}

/** Merges two sources; a parameter in both has the values of both. */
function together(one: Values, other: Values): Values {
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map([...names].map((name) => [name, [...(one.get(name) ?? []), ...(other.get(name) ?? [])]]))
}

/** Voice platforms send null or '' for an argument without a value. */
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Null, blank strings and an optional "none" count as absent; unknown arguments are omitted. */
function fromArguments(parameters: readonly OperationParameter[], given: Readonly<Record<string, unknown>>): Values {
  const values = new Map<string, readonly unknown[]>()
  for (const parameter of parameters) {
    const { name, min, max } = parameter
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (isBlank(value) || (min === 0 && isNothing(value))) continue
    values.set(name, max !== '1' && Array.isArray(value) ? value : [plainValue(parameter, value)])
  }
  return values
}

/**
 * Converts 12500.0 to an integer, for which the lossless parser keeps its text, and a number or a boolean to text where
 * text is asked for.
 */
function plainValue({ type = 'Any' }: OperationParameter, value: unknown): unknown {
  const plain = isNumber(value) && type !== 'decimal' ? Number(value) : value
  return TEXT.has(type) && ['number', 'boolean'].includes(typeof plain) ? String(plain) : plain
}

/** Converts the text of a query string to the type in the definition, or leaves it as text, to be refused later. */
function fromQuery(parameters: readonly OperationParameter[], query: URLSearchParams): Values {
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

type Entry = Readonly<Record<string, unknown>>

/**
 * A resource is returned as it is; out parameters by name become a Parameters resource, in the definition's order.
 * @throws Error naming an out parameter that the definition lacks: a defect of the handler
 */
export function writeOutput(
  definition: Pick<OperationDefinition, 'code' | 'parameter'>,
  output: OperationAnswer,
): AnyResource {
  if (isWhole(output)) return output
  const parameters = parametersOf(definition, 'out')
  return {
    resourceType: 'Parameters',
    ...withEntries('parameter', entriesOf(parameters, output, definition.code ?? '')),
  }
}

const isWhole = (output: OperationAnswer): output is AnyResource =>
  'resourceType' in output && typeof output.resourceType === 'string'

const withEntries = (name: 'parameter' | 'part', entries: readonly Entry[]): Entry =>
  entries.length === 0 ? {} : { [name]: entries }

function entriesOf(parameters: readonly OperationParameter[], values: Entry, code: string): readonly Entry[] {
  const unknown = Object.keys(values).find((name) => !parameters.some((parameter) => parameter.name === name))
  if (unknown !== undefined)
    throw new Error(`$${code} responds with '${unknown}', which its OperationDefinition does not have`)
  return parameters.flatMap((parameter) =>
    listOf(values[parameter.name]).map((value) => ({ name: parameter.name, ...contentOf(parameter, value, code) })),
  )
}

function contentOf({ name, type, part }: OperationParameter, value: unknown, code: string): Entry {
  if (part !== undefined) return withEntries('part', entriesOf(part, isObject(value) ? value : {}, code))
  if (isObject(value) && typeof value.resourceType === 'string') return { resource: value }
  // The handler chooses the type of the value, as value[x].
  if (type === 'Element' && isObject(value)) return value
  if (type === undefined) throw new Error(`$${code}: the OperationDefinition gives '${name}' neither a type nor parts`)
  return { [`value${type.charAt(0).toUpperCase()}${type.slice(1)}`]: value }
}
