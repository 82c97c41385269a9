/**
 * Parses one criterion of a query, `parameter=value`, into a condition: https://hl7.org/fhir/R4/search.html#modifiers.
 */
import { resourceTypes } from '../../fhir/definitions.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { ID, localReference } from '../../fhir/reference.ts'
import { CONTENT, KEPT_BY_STORE, TEXT } from '../index/extract.ts'
import {
  emptyParameter,
  type SearchParameter,
  type ServedType,
  UNKNOWN_MODIFIER,
  UNKNOWN_PARAMETER,
} from '../parameters.ts'
import type { Condition } from '../plan.ts'
import { COMPOSITE_MODIFIERS, parseComposite } from '../types/composite.ts'
import { DATE_MODIFIERS, parseDate } from '../types/date.ts'
import { NEAR_MODIFIERS, parseNear } from '../types/near.ts'
import { NUMBER_MODIFIERS, parseNumber } from '../types/number.ts'
import { parseQuantity, QUANTITY_MODIFIERS } from '../types/quantity.ts'
import { parseReference, REFERENCE_MODIFIERS, targetTypesOf } from '../types/reference.ts'
import { parsePhonetic, parseString, STRING_MODIFIERS } from '../types/string.ts'
import { parseToken, TOKEN_MODIFIERS } from '../types/token.ts'
import { parseUri, parseUrl, URI_MODIFIERS } from '../types/uri.ts'
import { any, malformed, unescaped, type ValueContext, valuesOf } from '../value.ts'
import { type Follow, parseChain, parseReverseChain } from './chain.ts'
import { parseFilterParameter, type ReadParameter } from './filter-condition.ts'
import { parseFullText } from './full-text-query.ts'
import { type Allowance, newAllowance, parameterFor, type SearchScope, spent } from './scope.ts'

/** Modifiers by type, in addition to :missing, which all but composites take. */
export const MODIFIERS: Readonly<Record<ServedType, readonly string[]>> = {
  string: STRING_MODIFIERS,
  token: TOKEN_MODIFIERS,
  reference: REFERENCE_MODIFIERS,
  date: DATE_MODIFIERS,
  uri: URI_MODIFIERS,
  number: NUMBER_MODIFIERS,
  quantity: QUANTITY_MODIFIERS,
  composite: COMPOSITE_MODIFIERS,
  special: NEAR_MODIFIERS,
}

/**
 * @param name the parameter as written: `family:exact`, `subject:Patient.birthdate`, `_has:Observation:patient:code`
 * @throws FhirError 400
 */
export function parseCriterion(name: string, value: string, scope: SearchScope): Condition {
  return parseWithin(name, value, scope, contextOf(name, scope), newAllowance())
}

const contextOf = (
  name: string,
  { baseUrl, links, now, machineTime, types, lookUp, isCaseSensitive, hint }: SearchScope,
): ValueContext => ({
  ...{ name, baseUrl, now, machineTime, types },
  ...{ links, lookUp, isCaseSensitive, hint },
})

function parseWithin(
  name: string,
  value: string,
  scope: SearchScope,
  context: ValueContext,
  allowance: Allowance,
): Condition {
  const follow: Follow = (rest, types) =>
    parseWithin(rest, value, { ...scope, types }, { ...context, types }, spent(allowance, context))
  if (name === '_has' || name.startsWith('_has:')) return parseReverseChain(name, scope, context, follow)
  const dot = name.indexOf('.')
  const [code, modifier] = codeAndModifier(dot < 0 ? name : name.slice(0, dot), context)
  if (dot >= 0) return parseChain(code, modifier, name.slice(dot + 1), scope, context, follow)
  if (isSpecial(code)) return parseSpecial(code, modifier, { value, scope, context, allowance, read: parseSimple })
  return parseSimple(code, modifier, value, scope, context)
}

function codeAndModifier(name: string, context: ValueContext): readonly [string, string | undefined] {
  const [code = '', modifier, ...rest] = name.split(':')
  if (rest.length > 0) throw badRequest(`${context.name}: '${name}' has two modifiers; a parameter takes one`)
  return [code, modifier]
}

function parseSimple(
  code: string,
  modifier: string | undefined,
  value: string,
  scope: SearchScope,
  context: ValueContext,
): Condition {
  const parameter = parameterFor(code, scope, specialCodes(scope.fullText))
  checkModifier(parameter, modifier, context)
  if (value === '') throw emptyParameter(context.name)
  if (modifier === 'missing') return missing(code, value, context)
  const values = valuesOf(value, context)
  const condition: Condition =
    code === '_id'
      ? { kind: 'id', ids: values.map((text) => idOf(text, context)) }
      : any(values.map((text) => parseValue(parameter, modifier, text, context)))
  return modifier === 'not' || modifier === 'not-in' ? { kind: 'not', of: condition } : condition
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

function modifiersOf({ code, type, phonetic }: SearchParameter): readonly string[] {
  if (code === '_id') return ['missing', 'not']
  if (phonetic === true) return ['missing']
  return ['missing', ...MODIFIERS[type]]
}

function missing(param: string, value: string, context: ValueContext): Condition {
  if (value !== 'true' && value !== 'false') throw malformed(context, value, 'is neither true nor false')
  if (KEPT_BY_STORE.has(param)) return { kind: value === 'true' ? 'any' : 'all', of: [] }
  return { kind: 'missing', param, missing: value === 'true' }
}

function idOf(text: string, context: ValueContext): string {
  const id = unescaped(text)
  if (!ID.test(id)) throw malformed(context, id, 'is not an id (1 to 64 letters, digits, hyphens and points)')
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
      return parameter.phonetic === true
        ? parsePhonetic(parameter.code, text, context)
        : parseString(parameter, modifier, text, context)
    case 'token':
      return parseToken(parameter, modifier, text, context)
    case 'reference':
      return parseReference(parameter, modifier, text, context)
    case 'date':
      return parseDate(parameter, text, context)
    case 'uri':
      return (parameter.code === 'url' ? parseUrl : parseUri)(parameter.code, modifier, text, context)
    case 'number':
      return parseNumber(parameter.code, text, context)
    case 'quantity':
      return parseQuantity(parameter.code, text, context)
    case 'composite':
      return parseComposite(parameter, text, context, (part, own) =>
        part.type === 'uri' ? parseUri(part.code, undefined, own, context) : parseValue(part, undefined, own, context),
      )
    case 'special':
      return parseNear(parameter.code, text, context)
  }
}

/** The parts of a criterion by a parameter that corresponds to no element. */
interface Parts {
  readonly value: string
  readonly scope: SearchScope
  readonly context: ValueContext
  readonly allowance: Allowance
  readonly read: ReadParameter
}

/**
 * The parameters of every type that do not correspond to an element: https://hl7.org/fhir/R4/search.html#special.
 */
const READERS: Readonly<Record<string, (parts: Parts) => Condition>> = {
  _filter: ({ value, scope, context, allowance, read }) => parseFilterParameter(value, scope, context, allowance, read),
  _list: ({ value, context }) => any(valuesOf(value, context).map((text) => listed(unescaped(text), context))),
  [TEXT]: (parts) => fullText(TEXT, parts),
  [CONTENT]: (parts) => fullText(CONTENT, parts),
  _query: () => {
    throw badRequest('_query names a query of the server, and there are none; use the search parameters', {
      reason: UNKNOWN_PARAMETER,
    })
  },
}

/** The codes by which every type can be searched, in addition to its parameters. */
const specialCodes = (fullText: boolean): readonly string[] => [
  '_filter',
  '_has',
  '_list',
  ...(fullText ? [CONTENT, TEXT] : []),
]

const isSpecial = (code: string): boolean => Object.hasOwn(READERS, code)

/** @throws FhirError 400 */
function parseSpecial(code: string, modifier: string | undefined, parts: Parts): Condition {
  const { value, context } = parts
  if (modifier !== undefined)
    throw badRequest(`${context.name}: ${code} takes no modifier, not ':${modifier}'`, { reason: UNKNOWN_MODIFIER })
  if (value === '') throw emptyParameter(context.name)
  return READERS[code]?.(parts) ?? any([])
}

/** A condition on resources to which the entries of a List refer. */
const listed = (text: string, context: ValueContext): Condition => ({
  kind: 'has',
  type: 'List',
  param: 'item',
  where: { kind: 'id', ids: [listId(text, context)] },
})

/** The id of the List named by a value of `_list`. @throws FhirError 400 */
export function listId(text: string, context: Pick<ValueContext, 'name' | 'baseUrl'>): string {
  if (text.startsWith('$')) {
    throw malformed(
      context,
      text,
      'is a list that the server would make itself, and it makes none; name a List by its id',
    )
  }
  const { type, id } = localReference(text, context.baseUrl) ?? { type: 'List', id: text }
  if (type !== 'List' || !ID.test(id)) throw malformed(context, text, 'is not the id of a List')
  return id
}

function fullText(code: typeof TEXT | typeof CONTENT, { value, scope, context }: Parts): Condition {
  if (!scope.fullText) {
    throw badRequest(`${code} is not offered: FULL_TEXT is off on this server; search by other parameters`, {
      reason: UNKNOWN_PARAMETER,
    })
  }
  return any(valuesOf(value, context).map((text) => parseFullText(code, text, context)))
}
