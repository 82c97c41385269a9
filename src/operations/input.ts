/**
 * The in parameters of an operation, checked against its OperationDefinition: from a Parameters resource, a bare
 * resource or a query string (https://hl7.org/fhir/R4/operations.html#request), or from the plain JSON arguments of a
 * tool call. All problems are named at once.
 */
import type { OperationDefinition, OperationDefinitionParameter } from 'fhir/r4'
import { isResourceType } from '../fhir/definitions.ts'
import { isNumber } from '../fhir/json.ts'
import { badRequest, FhirError, type Issue } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { PRIMITIVES } from '../fhir/validate/primitives.ts'
import { isTransportParameter } from '../search/result-parameters.ts'
import type { OperationInput } from './operation.ts'

type Definition = Pick<OperationDefinition, 'parameter'>
type Values = ReadonlyMap<string, readonly unknown[]>

/**
 * @param body a Parameters resource, the bare resource where the definition has one parameter that takes it, or undefined
 * @param query of a GET; of a POST it adds to the body, as R4 asks where that is a bare resource
 * @throws FhirError 400 with an issue for each parameter at fault
 */
export function readInput(definition: Definition, body: unknown, query = new URLSearchParams()): OperationInput {
  const parameters = inParameters(definition.parameter)
  return checked(parameters, together(fromBody(parameters, body), fromQuery(parameters, query)), 'parameter')
}

function fromBody(parameters: readonly OperationDefinitionParameter[], body: unknown): Values {
  if (body === undefined) return new Map()
  if (!isObject(body) || typeof body.resourceType !== 'string') {
    throw badRequest(
      'The body of an operation is a Parameters resource: {"resourceType": "Parameters", "parameter": […]}',
    )
  }
  return body.resourceType === 'Parameters' ? fromParameters(body.parameter) : bareResource(parameters, body)
}

/** What is in both is there as often as both have it. */
function together(one: Values, other: Values): Values {
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map([...names].map((name) => [name, [...(one.get(name) ?? []), ...(other.get(name) ?? [])]]))
}

/**
 * Arguments of a tool call: null and blank strings count as absent, what the definition does not know is left out.
 * @throws FhirError 400 with the reason `missing-argument` or `invalid-argument`
 */
export function readArguments(definition: Definition, given: Readonly<Record<string, unknown>>): OperationInput {
  const parameters = inParameters(definition.parameter)
  return checked(parameters, fromArguments(parameters, given), 'argument')
}

/** The arguments that the definition knows and that are not blank, as they came: for handlers that check each by themselves. */
export const knownArguments = (definition: Definition, given: Readonly<Record<string, unknown>>): OperationInput =>
  Object.fromEntries(
    inParameters(definition.parameter)
      .filter(({ name }) => Object.hasOwn(given, name) && !isBlank(given[name]))
      .map(({ name }) => [name, given[name]]),
  )

const inParameters = (
  parameters: readonly OperationDefinitionParameter[] = [],
): readonly OperationDefinitionParameter[] => parameters.filter(({ use }) => use === 'in')

/** What platforms send for an argument that the caller has not given. */
const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function fromArguments(
  parameters: readonly OperationDefinitionParameter[],
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

/** 12500.0 is a whole number to whoever wrote it, but keeps its text when it is read without loss. */
const plainNumber = ({ type }: OperationDefinitionParameter, value: unknown): unknown =>
  isNumber(value) && type !== 'decimal' ? Number(value) : value

/** Query strings carry text: it becomes what the definition says, or stays text and is refused. */
function fromQuery(parameters: readonly OperationDefinitionParameter[], query: URLSearchParams): Values {
  const values = new Map<string, readonly unknown[]>()
  for (const name of new Set(query.keys())) {
    if (isTransportParameter(name) || name === CURSOR) continue
    const type = parameters.find((parameter) => parameter.name === name)?.type
    values.set(
      name,
      query.getAll(name).map((text) => fromText(text, type)),
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
  return NUMBERS.includes(type) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

function bareResource(parameters: readonly OperationDefinitionParameter[], resource: Record<string, unknown>): Values {
  const takers = parameters.filter(({ type }) => type === 'Resource' || type === resource.resourceType)
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

/** value[x], the resource, or the parts by name (lists, as a part may repeat). */
function heldBy(entry: Record<string, unknown>, at: string): unknown {
  const held = Object.keys(entry).filter((key) => key === 'resource' || key === 'part' || /^value[A-Z]/.test(key))
  const [key] = held
  if (key === undefined || held.length > 1) {
    throw badRequest(`${at} (${String(entry.name)}) must have exactly one of value[x], resource and part`, {
      expression: at,
    })
  }
  return key === 'part' ? Object.fromEntries(fromParameters(entry.part)) : entry[key]
}

/** Checks what was found against the definition; a noun that the client knows names it in messages. */
function checked(
  parameters: readonly OperationDefinitionParameter[],
  values: Values,
  noun: 'parameter' | 'argument',
): OperationInput {
  const known = new Set(parameters.map(({ name }) => name))
  const unknown = [...values.keys()].filter((name) => !known.has(name))
  const issues = [
    ...unknown.map((name) =>
      issue(noun, 'unknown', name, `is not known; this operation takes ${[...known].join(', ') || 'none'}`),
    ),
    ...parameters.flatMap((parameter) => problemsOf(parameter, values.get(parameter.name) ?? [], noun)),
  ]
  if (issues.length > 0) throw new FhirError(400, issues)
  return Object.fromEntries(parameters.flatMap((parameter) => entryOf(parameter, values.get(parameter.name) ?? [])))
}

const entryOf = (
  { name, max }: OperationDefinitionParameter,
  values: readonly unknown[],
): readonly (readonly [string, unknown])[] => (values.length === 0 ? [] : [[name, max === '1' ? values[0] : values]])

function problemsOf(
  parameter: OperationDefinitionParameter,
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

/** The parts of a value as `fromParameters` reads them: lists by name. */
function problemsOfParts(
  { name, part }: OperationDefinitionParameter,
  value: unknown,
  noun: 'parameter' | 'argument',
): readonly Issue[] {
  if (part === undefined || !isObject(value)) return []
  const unknown = Object.keys(value).filter((key) => !part.some((one) => one.name === key))
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

function expectation({ type, part }: OperationDefinitionParameter): string {
  if (part !== undefined) return `made of the parts ${part.map(({ name }) => name).join(', ')}`
  if (type === undefined || ANY.includes(type)) return 'given'
  return (
    TEXT.get(type) ??
    PRIMITIVES.get(type)?.expected ??
    (isResource(type) ? `a ${type}${type === 'Resource' ? '' : ' resource'}` : `an object of the type ${type}`)
  )
}

/** What the specification says of them in full says too much to whoever forgot one. */
const TEXT: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['markdown', 'text'],
])

/** Stand for every type. */
const ANY = ['Any', 'Element', 'Type', '*']

const isResource = (type: string): boolean => type === 'Resource' || isResourceType(type)

function accepts({ type = 'Any', part }: OperationDefinitionParameter, value: unknown): boolean {
  if (part !== undefined) return isObject(value)
  if (ANY.includes(type)) return true
  const primitive = PRIMITIVES.get(type)
  if (primitive !== undefined) return primitive.accepts(value)
  if (!isObject(value)) return false
  return isResource(type)
    ? typeof value.resourceType === 'string' && (type === 'Resource' || value.resourceType === type)
    : !('resourceType' in value)
}
