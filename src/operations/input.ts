/**
 * In parameters of an operation, checked against its OperationDefinition: from a Parameters resource, a bare resource
 * or a query string (https://hl7.org/fhir/R4/operations.html#request), or from the plain JSON arguments of a tool call.
 * All problems are reported together.
 */
import type { OperationDefinition } from 'fhir/r4'
import { type OperationInput, type OperationParameter, parametersOf } from '../core/operation.ts'
import { isResourceType } from '../fhir/definitions.ts'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { PRIMITIVES } from '../fhir/validate/primitives.ts'
import { fromArguments, fromBody, fromQuery, isBlank, together, type Values } from './input-values.ts'

type Definition = Pick<OperationDefinition, 'parameter'>

/** Extension of a parameter that is accepted without effect: any value is valid, and no handler receives it. */
const IGNORED_PARAMETER = 'https://sandbox-emr.example/fhir/StructureDefinition/ignored-parameter'

const isIgnored = ({ extension = [] }: OperationParameter): boolean =>
  extension.some(({ url, valueBoolean }) => url === IGNORED_PARAMETER && valueBoolean === true)

/**
 * @param body a Parameters resource, the bare resource if the definition has one parameter that accepts it, or
 * undefined
 * @param query the query of a GET; with a POST it adds to the body, as R4 requires if that is a bare resource
 * @throws FhirError 400 with an issue for each invalid parameter
 */
export function readInput(definition: Definition, body: unknown, query = new URLSearchParams()): OperationInput {
  const parameters = parametersOf(definition, 'in')
  return checked(parameters, together(fromBody(parameters, body), fromQuery(parameters, query)), 'parameter')
}

/**
 * Reads the arguments of a tool call: null and blank strings count as absent, unknown arguments are omitted.
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
