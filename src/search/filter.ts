/**
 * One `parameter=value` of a query as a condition: https://hl7.org/fhir/R4/search.html#modifiers.
 */
import { resourceTypes } from '../fhir/definitions.ts'
import { badRequest } from '../fhir/outcome.ts'
import { type Follow, parseChain, parseReverseChain, TOO_WIDE } from './chain.ts'
import { DATE_MODIFIERS, parseDate } from './date.ts'
import { NUMBER_MODIFIERS, parseNumber } from './number.ts'
import { EMPTY_VALUE, type SearchParameter, type ServedType, UNKNOWN_MODIFIER } from './parameters.ts'
import type { Condition } from './plan.ts'
import { parseReference, REFERENCE_MODIFIERS, targetTypesOf } from './reference.ts'
import { parameterFor, type SearchScope } from './scope.ts'
import { parseString, STRING_MODIFIERS } from './string.ts'
import { parseToken, TOKEN_MODIFIERS } from './token.ts'
import { parseUri, URI_MODIFIERS } from './uri.ts'
import { any, malformed, splitUnescaped, unescaped, type ValueContext } from './value.ts'

/** Values joined by commas in one parameter. */
const MOST_VALUES = 200
/** Characters of one value: longer than any address on the web. */
const MOST_CHARACTERS = 4096
/** Links of a chain, `_has` counted with them. */
const MOST_LINKS = 5
/** Types looked at for one parameter, over all links of a chain that names none. */
const MOST_TYPES = 2000

const MODIFIERS: Readonly<Record<ServedType, readonly string[]>> = {
  string: STRING_MODIFIERS,
  token: TOKEN_MODIFIERS,
  reference: REFERENCE_MODIFIERS,
  date: DATE_MODIFIERS,
  uri: URI_MODIFIERS,
  number: NUMBER_MODIFIERS,
}

/** How far a chain may still go. */
interface Allowance {
  readonly links: number
  /** Counts down over all branches. */
  readonly types: { left: number }
}

/**
 * @param name the parameter as written: `family:exact`, `subject:Patient.birthdate`, `_has:Observation:patient:code`
 * @throws FhirError 400
 */
export function parseFilter(name: string, value: string, scope: SearchScope): Condition {
  const context = { name, baseUrl: scope.baseUrl, now: scope.now }
  return filter(name, value, scope, context, { links: MOST_LINKS, types: { left: MOST_TYPES } })
}

function filter(
  name: string,
  value: string,
  scope: SearchScope,
  context: ValueContext,
  allowance: Allowance,
): Condition {
  const follow: Follow = (rest, types) => {
    if (allowance.links === 0) throw badRequest(`${context.name} follows more than ${MOST_LINKS} references`)
    if (allowance.types.left-- === 0) {
      throw badRequest(`${context.name} leads to too many types; name them, as in subject:Patient.name`, {
        reason: TOO_WIDE,
      })
    }
    return filter(rest, value, { ...scope, types }, context, { ...allowance, links: allowance.links - 1 })
  }
  if (name.startsWith('_has:')) return parseReverseChain(name, scope, context, follow)
  const dot = name.indexOf('.')
  const [code, modifier] = codeAndModifier(dot < 0 ? name : name.slice(0, dot), context)
  return dot < 0
    ? simpleFilter(code, modifier, value, scope, context)
    : parseChain(code, modifier, name.slice(dot + 1), scope, context, follow)
}

function codeAndModifier(name: string, context: ValueContext): readonly [string, string | undefined] {
  const [code = '', modifier, ...rest] = name.split(':')
  if (rest.length > 0) throw badRequest(`${context.name}: '${name}' has two modifiers; a parameter takes one`)
  return [code, modifier]
}

function simpleFilter(
  code: string,
  modifier: string | undefined,
  value: string,
  scope: SearchScope,
  context: ValueContext,
): Condition {
  const parameter = parameterFor(code, scope)
  checkModifier(parameter, modifier, context)
  if (value === '') throw badRequest(`${context.name} has no value`, { reason: EMPTY_VALUE })
  if (modifier === 'missing') return missing(code, value, context)
  const values = valuesOf(value, context)
  const condition: Condition =
    code === '_id'
      ? { kind: 'id', ids: values.map((text) => idOf(text, context)) }
      : any(values.map((text) => parseValue(parameter, modifier, text, context)))
  return modifier === 'not' ? { kind: 'not', of: condition } : condition
}

function checkModifier(parameter: SearchParameter, modifier: string | undefined, context: ValueContext): void {
  if (modifier === undefined) return
  const valid = modifiersOf(parameter)
  const targets = parameter.type === 'reference' ? (targetTypesOf(parameter) ?? resourceTypes) : []
  if (valid.includes(modifier) || targets.includes(modifier)) return
  const modifiers = valid.length === 0 ? 'no modifier' : `the modifiers ${valid.map((one) => `:${one}`).join(', ')}`
  const types = targets.length > 20 ? 'any' : targets.join(', ')
  throw badRequest(
    `${context.name}: the ${parameter.type} parameter '${parameter.code}' takes ${modifiers}${types === '' ? '' : `, or a type it refers to: ${types}`}, not ':${modifier}'`,
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
  if (values.some(({ length }) => length > MOST_CHARACTERS))
    throw badRequest(`${context.name} has a value of more than ${MOST_CHARACTERS} characters, the most a search takes`)
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
