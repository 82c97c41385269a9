/** The types that a query or a link of a chain concerns, and the parameters they have. */
import { noResourceType } from '../../fhir/closest-name.ts'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { type ComponentParameter, type SearchParameter, typeNames, unknownParameter } from '../parameters.ts'
import type { IsCaseSensitive } from '../token-case.ts'
import { spanOf } from '../types/date.ts'
import type { Links, LookUp, ValueContext } from '../value.ts'

export interface SearchScope {
  readonly types: readonly string[]
  readonly parametersOf: (type: string) => ReadonlyMap<string, SearchParameter>
  readonly baseUrl: string
  readonly links?: Links | undefined
  /** See ValueContext. */
  readonly now: number
  readonly machineTime: number
  /** Resolves values that stand for others and have to be looked up. */
  readonly lookUp: LookUp
  readonly isCaseSensitive: IsCaseSensitive
  /** True when `_text` and `_content` are offered. */
  readonly fullText: boolean
  /** Receives notes for the client about a value, in addition to the matches. */
  readonly hint: (diagnostics: string) => void
}

/**
 * The parameter of that code that all types share. Parameters that share only the name do not count.
 * @param special further names for the message of the error
 * @throws FhirError 400
 */
export function parameterFor(
  code: string,
  { types, parametersOf }: SearchScope,
  special: readonly string[] = [],
): SearchParameter {
  const [first, ...others] = types.map((type) => parametersOf(type).get(code))
  if (first === undefined || others.some((other) => !isAlike(first, other))) {
    throw unknownParameter(code, types, [...sharedCodes(types, parametersOf), ...special])
  }
  return others.reduce<SearchParameter>(
    (shared, other) => (other === undefined ? shared : widened(shared, other)),
    first,
  )
}

/** @throws FhirError 400 when the parameter is unknown or not a reference */
export function referenceFor(code: string, scope: SearchScope, { name }: ValueContext): SearchParameter {
  const parameter = parameterFor(code, scope)
  if (parameter.type === 'reference') return parameter
  throw badRequest(
    `${name}: '${code}' of ${typeNames(scope.types)} is a ${parameter.type} parameter; only a reference can be followed`,
  )
}

function sharedCodes(
  [first = '', ...others]: readonly string[],
  parametersOf: SearchScope['parametersOf'],
): readonly string[] {
  return [...parametersOf(first).values()]
    .filter((parameter) => others.every((other) => isAlike(parameter, parametersOf(other).get(parameter.code))))
    .map(({ code }) => code)
}

/** True for parameters of the same type and, where they have parts, the same parts. */
const isAlike = (one: SearchParameter, other: SearchParameter | undefined): boolean =>
  other !== undefined && kindOf(one) === kindOf(other)

const kindOf = ({ type, parts = [] }: SearchParameter): string =>
  [type, ...parts.map((part) => `${part.code} ${part.type}`)].join()

/** The parameter with properties that hold for both types. */
function widened(one: SearchParameter, other: SearchParameter): SearchParameter {
  const { span: _span, element: _element, single: _single, ...shared } = one
  const { span } = spanOf(one) > spanOf(other) ? one : other
  const element = widenedElement(one, other)
  return {
    ...shared,
    ...(span === undefined ? {} : { span }),
    ...(element === undefined ? {} : { element }),
    single: one.single === true && other.single === true,
    target: [...new Set([...(one.target ?? ['*']), ...(other.target ?? ['*'])])],
    ...(one.parts === undefined
      ? {}
      : { parts: one.parts.map((part, index) => widenedPart(part, other.parts?.[index])) }),
  }
}

function widenedElement(one: SearchParameter, other: SearchParameter): SearchParameter['element'] {
  // The name of an organization has no parts, so looking for them finds nothing there.
  if (one.type === 'string') return one.element ?? other.element
  if (one.element === other.element && one.system === other.system) return one.element
  return [one, other].some(({ element }) => element !== undefined && IN_LOWER_CASE.includes(element))
    ? 'mixed'
    : undefined
}

/** Elements of tokens that are stored only in lower case, or may be. */
const IN_LOWER_CASE: readonly SearchParameter['element'][] = ['Identifier', 'string', 'mixed']

const widenedPart = (one: ComponentParameter, other: ComponentParameter | undefined): ComponentParameter =>
  other === undefined ? one : { ...widened(one, other), type: one.type }

/** A 400 for a name that is not a resource type; `what` is the parameter as the client wrote it. */
export const unknownType = (what: string, type: string): FhirError => badRequest(`${what}: ${noResourceType(type)}`)

/** Most links of a chain, including `_has`. */
const MAX_LINKS = 10
/** Most types examined for one parameter, over all links of a chain that names none. */
const MAX_TYPES = 2000

/** The remaining limits of a chain. */
export interface Allowance {
  readonly links: number
  /** Shared by all branches. */
  readonly types: { left: number }
}

export const newAllowance = (): Allowance => ({ links: MAX_LINKS, types: { left: MAX_TYPES } })

/**
 * The allowance after one more link to one more type.
 * @throws FhirError 400 when it is used up
 */
export function spent({ links, types }: Allowance, { name }: ValueContext): Allowance {
  if (links === 0) throw badRequest(`${name} follows more than ${MAX_LINKS} references`)
  if (types.left-- === 0) {
    throw badRequest(`${name} leads to too many types; name them, as in subject:Patient.name`, { reason: TOO_WIDE })
  }
  return { links: links - 1, types }
}

/** Reason of the error for a chain that leads to too many types. */
export const TOO_WIDE = 'search-chain-too-wide'
