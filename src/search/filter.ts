/**
 * One `parameter=value` of a query as a condition, with modifiers, chains and `_has`:
 * https://hl7.org/fhir/R4/search.html#modifiers, #chaining and #has.
 */
import { isResourceType, resourceTypes } from '../fhir/definitions.ts'
import { badRequest, type FhirError } from '../fhir/outcome.ts'
import { DATE_MODIFIERS, parseDate, spanOf } from './date.ts'
import { NUMBER_MODIFIERS, parseNumber } from './number.ts'
import {
  EMPTY_VALUE,
  nearestFirst,
  type SearchParameter,
  type ServedType,
  typeNames,
  UNKNOWN_MODIFIER,
  unknownParameter,
} from './parameters.ts'
import type { Condition } from './plan.ts'
import { parseReference, REFERENCE_MODIFIERS, targetsOf } from './reference.ts'
import { parseString, STRING_MODIFIERS } from './string.ts'
import { parseToken, TOKEN_MODIFIERS } from './token.ts'
import { parseUri, URI_MODIFIERS } from './uri.ts'
import { any, malformed, splitUnescaped, unescaped, type ValueContext } from './value.ts'

/** Values joined by commas in one parameter. */
export const MOST_VALUES = 200
/** Hops of a chain, `_has` counted with them. */
export const MOST_HOPS = 5

/** What a filter is read against. */
export interface Scope {
  readonly types: readonly string[]
  readonly parametersOf: (type: string) => ReadonlyMap<string, SearchParameter>
  readonly baseUrl: string
  /** Milliseconds since 1970 UTC, for `ap`. */
  readonly now: number
}

const MODIFIERS: Readonly<Record<ServedType, readonly string[]>> = {
  string: STRING_MODIFIERS,
  token: TOKEN_MODIFIERS,
  reference: REFERENCE_MODIFIERS,
  date: DATE_MODIFIERS,
  uri: URI_MODIFIERS,
  number: NUMBER_MODIFIERS,
}

/**
 * @param name the parameter as written: `family:exact`, `subject:Patient.birthdate`, `_has:Observation:patient:code`
 * @throws FhirError 400
 */
export function parseFilter(name: string, value: string, scope: Scope): Condition {
  return filter(name, value, scope, { name, baseUrl: scope.baseUrl, now: scope.now }, MOST_HOPS)
}

function filter(name: string, value: string, scope: Scope, context: ValueContext, hops: number): Condition {
  if (name.startsWith('_has:')) return reverseChain(name, value, scope, context, hops)
  const dot = name.indexOf('.')
  if (dot >= 0) return chain(name.slice(0, dot), name.slice(dot + 1), value, scope, context, hops)
  const [code, modifier] = codeAndModifier(name, context)
  const parameter = parameterFor(code, scope)
  checkModifier(parameter, modifier, context)
  if (value === '') throw badRequest(`${context.name} has no value`, { reason: EMPTY_VALUE })
  if (modifier === 'missing') return missing(code, value, context)
  const values = valuesOf(value, context)
  if (code === '_id')
    return negatedIf(modifier === 'not', { kind: 'id', ids: values.map((text) => idOf(text, context)) })
  return negatedIf(modifier === 'not', any(values.map((text) => parseValue(parameter, modifier, text, context))))
}

function codeAndModifier(name: string, context: ValueContext): readonly [string, string | undefined] {
  const [code = '', modifier, ...rest] = name.split(':')
  if (rest.length > 0) throw badRequest(`${context.name}: '${name}' has two modifiers; a parameter takes one`)
  return [code, modifier]
}

/**
 * The parameter of that code that all types share. Where they share only the name, there is none for them together.
 * @throws FhirError 400
 */
export function parameterFor(
  code: string,
  { types, parametersOf }: Pick<Scope, 'types' | 'parametersOf'>,
): SearchParameter {
  const [first, ...others] = types.map((type) => parametersOf(type).get(code))
  if (first === undefined || others.some((other) => other?.type !== first.type)) {
    throw unknownParameter(code, types, sharedCodes(types, parametersOf))
  }
  return others.reduce<SearchParameter>(
    (shared, other) => (other === undefined ? shared : widened(shared, other)),
    first,
  )
}

function sharedCodes(
  [first = '', ...others]: readonly string[],
  parametersOf: Scope['parametersOf'],
): readonly string[] {
  return [...parametersOf(first).values()]
    .filter(({ code, type }) => others.every((other) => parametersOf(other).get(code)?.type === type))
    .map(({ code }) => code)
}

/** What can be said of a parameter whichever of two types it is searched on. */
function widened(one: SearchParameter, other: SearchParameter): SearchParameter {
  const { span: _span, element: _element, single: _single, ...shared } = one
  const [longer] = [one, other].sort((left, right) => spanOf(right) - spanOf(left))
  return {
    ...shared,
    ...(longer?.span === undefined ? {} : { span: longer.span }),
    ...(one.element !== undefined && one.element === other.element && one.system === other.system
      ? { element: one.element }
      : {}),
    single: one.single === true && other.single === true,
    target: [...new Set([...(one.target ?? ['*']), ...(other.target ?? ['*'])])],
  }
}

function checkModifier(parameter: SearchParameter, modifier: string | undefined, context: ValueContext): void {
  if (modifier === undefined) return
  const valid = modifiersOf(parameter)
  if (valid.includes(modifier)) return
  const targets = parameter.type === 'reference' ? (targetsOf(parameter) ?? resourceTypes) : []
  if (targets.includes(modifier)) return
  const types =
    targets.length === 0 ? '' : `, or a type it refers to: ${targets.length > 20 ? 'any' : targets.join(', ')}`
  throw badRequest(
    `${context.name}: the ${parameter.type} parameter '${parameter.code}' takes ${valid.length === 0 ? 'no modifier' : `the modifiers ${valid.map((one) => `:${one}`).join(', ')}`}${types}, not ':${modifier}'`,
    { reason: UNKNOWN_MODIFIER },
  )
}

/** The store keeps `_id` and `_lastUpdated` of every resource, so they are never missing and have no text. */
function modifiersOf({ code, type }: SearchParameter): readonly string[] {
  if (code === '_id') return ['not']
  return code === '_lastUpdated' ? [] : ['missing', ...MODIFIERS[type]]
}

function missing(param: string, value: string, context: ValueContext): Condition {
  if (value !== 'true' && value !== 'false') throw malformed(context, value, 'is neither true nor false')
  return { kind: 'missing', param, missing: value === 'true' }
}

function valuesOf(value: string, context: ValueContext): readonly string[] {
  const values = splitUnescaped(value, ',')
  if (values.length > MOST_VALUES)
    throw badRequest(`${context.name} has ${values.length} values; ${MOST_VALUES} are the most`)
  if (values.includes('')) {
    throw badRequest(`${context.name}=${value} has an empty value; write '\\,' for a comma that belongs to a value`, {
      reason: EMPTY_VALUE,
    })
  }
  return values
}

function idOf(text: string, context: ValueContext): string {
  const id = unescaped(text)
  if (!/^[A-Za-z0-9\-.]{1,64}$/.test(id))
    throw malformed(context, id, 'is not an id (1 to 64 letters, digits, hyphens and points)')
  return id
}

const negatedIf = (negated: boolean, condition: Condition): Condition =>
  negated ? { kind: 'not', of: condition } : condition

function parseValue(
  parameter: SearchParameter,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Condition {
  switch (parameter.type) {
    case 'string':
      return parseString(parameter.code, modifier, text, context)
    case 'token':
      return parseToken(parameter, modifier, text, context)
    case 'reference':
      return parseReference(parameter, modifier, text, context)
    case 'date':
      return parseDate(parameter, text, context)
    case 'uri':
      return parseUri(parameter.code, modifier, text, context)
    case 'number':
      return parseNumber(parameter.code, text, context)
  }
}

/** `subject:Patient.name`, or `subject.name` for all types that it may refer to and that have the parameter. */
function chain(
  head: string,
  rest: string,
  value: string,
  scope: Scope,
  context: ValueContext,
  hops: number,
): Condition {
  if (hops === 0) throw tooLong(context)
  const [code, type] = codeAndModifier(head, context)
  const reference = referenceParameter(code, scope, context)
  const possible = targetsOf(reference) ?? resourceTypes
  if (type !== undefined && !possible.includes(type)) throw wrongTarget(context, code, type, possible)
  const targets = type === undefined ? possible.filter((target) => hasParameter(rest, target, scope)) : [type]
  if (targets.length === 0) throw unknownParameter(firstCode(rest), possible, codesOfAny(possible, scope))
  const conditions = targets.map((target) => filter(rest, value, { ...scope, types: [target] }, context, hops - 1))
  return any(grouped(targets, conditions).map(([types, where]) => ({ kind: 'chain', param: code, types, where })))
}

/** `_has:Observation:patient:code=x`: those that an Observation with that code refers to as its patient. */
function reverseChain(name: string, value: string, scope: Scope, context: ValueContext, hops: number): Condition {
  if (hops === 0) throw tooLong(context)
  const [, type = '', param = '', ...rest] = name.split(':')
  if (rest.length === 0 || rest[0] === '') {
    throw badRequest(`${context.name}: write _has:Type:reference:parameter, e.g. _has:Observation:patient:code`)
  }
  if (!isResourceType(type)) throw unknownType(context, type)
  const there = { ...scope, types: [type] }
  const targets = targetsOf(referenceParameter(param, there, context))
  if (targets !== undefined && !scope.types.some((searched) => targets.includes(searched))) {
    throw badRequest(
      `${context.name}: ${param} of ${type} refers to ${targets.join(', ')}, never to ${typeNames(scope.types)}`,
    )
  }
  return { kind: 'has', type, param, where: filter(rest.join(':'), value, there, context, hops - 1) }
}

function referenceParameter(code: string, scope: Scope, context: ValueContext): SearchParameter {
  const parameter = parameterFor(code, scope)
  if (parameter.type === 'reference') return parameter
  throw badRequest(
    `${context.name}: '${code}' of ${typeNames(scope.types)} is a ${parameter.type} parameter; only a reference can be followed`,
  )
}

const tooLong = (context: ValueContext): FhirError =>
  badRequest(`${context.name} follows more than ${MOST_HOPS} references`)

const wrongTarget = (context: ValueContext, code: string, type: string, possible: readonly string[]): FhirError =>
  isResourceType(type)
    ? badRequest(`${context.name}: '${code}' refers to ${possible.join(', ')}, not to ${type}`)
    : unknownType(context, type)

export const unknownType = ({ name }: Pick<ValueContext, 'name'>, type: string): FhirError =>
  badRequest(`${name}: there is no resource type '${type}'; did you mean '${nearestFirst(type, resourceTypes)[0]}'?`)

/** The code that the rest of a chain begins with. */
const firstCode = (rest: string): string => rest.split(/[.:]/, 1)[0] ?? ''

const hasParameter = (rest: string, type: string, { parametersOf }: Scope): boolean =>
  rest.startsWith('_has:') || parametersOf(type).has(firstCode(rest))

const codesOfAny = (types: readonly string[], { parametersOf }: Scope): ReadonlySet<string> =>
  new Set(types.flatMap((type) => [...parametersOf(type).keys()]))

/** Types with the same condition together: most parameters mean the same on each. */
function grouped(
  types: readonly string[],
  conditions: readonly Condition[],
): readonly (readonly [readonly string[], Condition])[] {
  const groups = new Map<string, readonly [string[], Condition]>()
  for (const [at, condition] of conditions.entries()) {
    const key = JSON.stringify(condition)
    const group = groups.get(key) ?? [[], condition]
    group[0].push(types[at] ?? '')
    groups.set(key, group)
  }
  return [...groups.values()]
}
