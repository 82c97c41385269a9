/**
 * Token parameters: https://hl7.org/fhir/R4/search.html#token. Case matters where a code system is known to be
 * case-sensitive (docs/adr/016-case-of-tokens.md): identifiers, strings and contacts are stored in lower case; a code
 * is stored as written and, unless R4 declares its system case-sensitive, also in lower case under a derived name. A
 * ContactPoint has its `system` code as system (`phone|+15550100` and `+15550100` both find it), and phone numbers are
 * compared without formatting, and with or without country code.
 */
import { isNumber } from '../../fhir/json.ts'
import { localReference } from '../../fhir/reference.ts'
import { isObject, itemsOf } from '../../fhir/resource.ts'
import { fold } from '../../fhir/text-folding.ts'
import type { SearchParameter, SearchParameterRecord } from '../parameters.ts'
import { type Condition, type IndexEntry, textOrderParam } from '../plan.ts'
import { caseInsensitive, codeCondition, isKeptWithoutCase } from '../token-case.ts'
import { any, type Direction, malformed, splitUnescaped, unescaped, type ValueContext } from '../value.ts'
import { addString, parseText } from './string.ts'

/**
 * The modifiers that stand for other codes: https://hl7.org/fhir/R4/search.html#token and
 * https://hl7.org/fhir/R4/search.html#mimetype.
 */
const CODES_MODIFIERS = ['in', 'not-in', 'above', 'below'] as const

export const TOKEN_MODIFIERS = ['not', 'text', ...CODES_MODIFIERS, 'of-type'] as const

/**
 * Parses `code`, `system|code`, `|code` (without a system) or `system|` (any code of it). `:not` is left to the caller.
 */
export function parseToken(
  parameter: SearchParameter,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Condition {
  const { code: param, element } = parameter
  if (modifier === 'text') return parseText(`${param}:text`, undefined, text, context)
  if (modifier === 'of-type') return parseOfType(parameter, text, context)
  const codes = CODES_MODIFIERS.find((one) => one === modifier)
  if (codes !== undefined) return parseTokenCodes(parameter, codes, text, context)
  const [first = '', second, ...rest] = splitUnescaped(text, '|').map(unescaped)
  if (rest.length > 0) {
    throw malformed(context, text, "has more than one '|'; write '\\|' for one that belongs to the code")
  }
  if (second === undefined) return tokenOf(parameter, undefined, first, context)
  if (first === '' && second === '') throw malformed(context, text, "has neither system nor code around its '|'")
  if (second === '') return { kind: 'token', param, system: first }
  // R4 writes `|value` for ContactPoints, whose system is not a code system.
  return tokenOf(parameter, first === '' && element === 'ContactPoint' ? undefined : first, second, context)
}

/** Parses an identifier with its type: https://hl7.org/fhir/R4/search.html#modifiers. */
function parseOfType({ code: param, element }: SearchParameter, text: string, context: ValueContext): Condition {
  const parts = splitUnescaped(text, '|').map(unescaped)
  const [system = '', code = '', value = ''] = parts
  if (element !== undefined && element !== 'Identifier')
    throw malformed(context, text, `asks for an identifier, and '${param}' is none`)
  if (parts.length !== 3 || parts.includes('')) {
    throw malformed(context, text, 'is no identifier with its type; write system|code|value, the first two of its type')
  }
  return { kind: 'token', param: ofType(param), system, code: typedValue(code, value) }
}

const ofType = (param: string): string => `${param}:of-type`
/** Combines code and value unambiguously, as neither begins or ends with a space. */
const typedValue = (code: string, value: string): string => `${code} | ${value.toLowerCase()}`

/** The implicit system of true and false, as search.html#token and codesystem-special-values.html name it. */
const SPECIAL_VALUES: ReadonlySet<string> = new Set([
  'http://hl7.org/fhir/special-values',
  'http://terminology.hl7.org/CodeSystem/special-values',
])

/** @param given the system that the client states; '': none, undefined: any */
function tokenOf(
  { code: param, element, system: own }: SearchParameter,
  given: string | undefined,
  code: string,
  context: ValueContext,
): Condition {
  const system = given === undefined ? {} : { system: given }
  const inLowerCase = anyPlus(code.toLowerCase(), (text) => ({ kind: 'token', param, ...system, code: text }))
  switch (element) {
    case 'boolean':
      return { kind: 'token', param, system: systemOfBoolean(given), code: booleanOf(code, context) }
    case 'ContactPoint':
      return contactOf(param, system, code)
    case 'Identifier':
    case 'string':
      return inLowerCase
    case 'mixed':
      return any([codeCondition(param, { system: given, code }, context.isCaseSensitive), inLowerCase])
    case 'code':
      // All entries of the parameter have the same system; naming it makes the condition an equality for the index.
      return codeCondition(param, { system: given ?? own, code }, context.isCaseSensitive)
    default:
      return codeCondition(param, { system: given, code }, context.isCaseSensitive)
  }
}

/**
 * A condition that also tries a plus in place of each space, as a plus that the client did not encode arrives as a
 * space.
 */
function anyPlus(code: string, conditionOf: (code: string) => Condition): Condition {
  const asSent = conditionOf(code)
  return code.includes(' ') ? any([asSent, conditionOf(code.replaceAll(' ', '+'))]) : asSent
}

function contactOf(param: string, system: { readonly system?: string }, code: string): Condition {
  // No number begins with a space.
  const value = comparableContact(code.replace(/^ (?=\d)/, '+'))
  const same = anyPlus(value, (text) => ({ kind: 'token', param, ...system, code: text }))
  return any([same, ...otherForms(param, value).map((form): Condition => ({ kind: 'token', ...system, ...form }))])
}

/** The elements whose tokens are texts, stored in lower case, and so have a beginning and an end. */
const TEXTS: ReadonlySet<string | undefined> = new Set(['ContactPoint', 'Identifier', 'string'])

export const isText = ({ element }: Pick<SearchParameterRecord, 'element'>): boolean => TEXTS.has(element)

/** A condition that the text begins or ends so; a telephone number begins so with or without its country code. */
export function parseTokenPart(
  { code: param, element }: Pick<SearchParameterRecord, 'code' | 'element'>,
  match: 'prefix' | 'suffix',
  text: string,
  context: ValueContext,
): Condition {
  const isContact = element === 'ContactPoint'
  const value = isContact ? comparableContact(text) : text.toLowerCase()
  if (value === '') throw malformed(context, text, 'is empty')
  const params = isContact && match === 'prefix' ? [param, nationalNumbers(param)] : [param]
  return any(params.map((one): Condition => ({ kind: 'token-part', param: one, match, value })))
}

const systemOfBoolean = (given = ''): string => (SPECIAL_VALUES.has(given) ? '' : given)

function booleanOf(code: string, context: ValueContext): string {
  if (code === 'true' || code === 'false') return code
  throw malformed(context, code, 'is neither true nor false')
}

/** A phone number without its formatting, anything else in lower case. */
function comparableContact(value: string): string {
  const isNumber = /^\+?[\d\s().\-/]+$/.test(value) && /\d/.test(value)
  return isNumber ? value.replace(/[^\d+]/g, '') : value.toLowerCase()
}

/**
 * Extracts one entry for each code, and texts under `param:text`. A value without any code (only a text or an
 * extension) leaves an entry with neither system nor code, which no search finds, except for :missing.
 */
export function extractToken(
  { code: param, system = '', element }: SearchParameterRecord,
  value: unknown,
  entries: IndexEntry[],
): void {
  if (typeof value === 'string') {
    const add = element === 'string' ? addInLowerCase : addCode
    add(param, system, value, entries)
  } else if (element === 'boolean') addToken(param, '', String(value), entries)
  else if (typeof value === 'boolean' || isNumber(value)) addCode(param, '', String(value), entries)
  else if (!isObject(value)) return
  else if (element === 'ContactPoint') addContact(param, value, entries)
  else if (value.coding !== undefined) extractConcept(param, value, entries)
  else if (value.value !== undefined || value.type !== undefined) {
    if (element === 'Identifier') extractIdentifier(param, value, entries)
    else addIdentifier(param, value, entries, addCode)
    extractTypes(param, value, entries)
  } else extractCoding(param, value, entries)
}

function addContact(param: string, contact: Record<string, unknown>, entries: IndexEntry[]): void {
  const system = textOf(contact.system)
  const value = comparableContact(textOf(contact.value))
  addToken(param, system, value, entries)
  const national = nationalNumber(value)
  if (national !== undefined) addToken(nationalNumbers(param), system, national, entries)
}

function extractConcept(param: string, { coding, text }: Record<string, unknown>, entries: IndexEntry[]): void {
  if (Array.isArray(coding)) for (const one of coding) if (isObject(one)) extractCoding(param, one, entries)
  addText(param, text, entries)
}

/** Extracts a Coding, or a CodeableConcept that is only text. */
function extractCoding(
  param: string,
  { system, code, display, text }: Record<string, unknown>,
  entries: IndexEntry[],
): void {
  addCode(param, textOf(system), textOf(code), entries)
  addText(param, display, entries)
  addText(param, text, entries)
}

/** Extracts an identifier, for a parameter with identifiers only. */
export const extractIdentifier = (param: string, identifier: Record<string, unknown>, entries: IndexEntry[]): void =>
  addIdentifier(param, identifier, entries, addInLowerCase)

function addIdentifier(
  param: string,
  { system, value, type }: Record<string, unknown>,
  entries: IndexEntry[],
  add: typeof addToken,
): void {
  add(param, textOf(system), textOf(value), entries)
  if (isObject(type)) addText(param, type.text, entries)
}

/** Extracts typed identifiers under `param:of-type`, so that type and value are compared together. */
function extractTypes(param: string, { type, value }: Record<string, unknown>, entries: IndexEntry[]): void {
  if (!isObject(type) || !Array.isArray(type.coding) || typeof value !== 'string') return
  for (const { system, code } of type.coding.filter(isObject)) {
    if (typeof code === 'string') addToken(ofType(param), textOf(system), typedValue(code, value), entries)
  }
}

/** Adds an entry only for :missing: a value that cannot be compared. */
export const addPresence = (param: string, entries: IndexEntry[]): void => addToken(param, '', '', entries)

/** Adds the code as written, and in lower case where case may be ignored. */
function addCode(param: string, system: string, code: string, entries: IndexEntry[]): void {
  addToken(param, system, code, entries)
  if (isKeptWithoutCase(system, code)) addToken(caseInsensitive(param), system, code.toLowerCase(), entries)
}

function addInLowerCase(param: string, system: string, code: string, entries: IndexEntry[]): void {
  addToken(param, system, code.toLowerCase(), entries)
}

function addToken(param: string, system: string, code: string, entries: IndexEntry[]): void {
  // A system without a code would be found by `system|`, which matches any code of it.
  entries.push({ kind: 'token', param, system: code === '' ? '' : system, code })
}

function addText(param: string, text: unknown, entries: IndexEntry[]): void {
  if (typeof text === 'string') addString(`${param}:text`, text, entries)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * The country codes of one and of two digits; all others have three.
 * https://www.itu.int/rec/T-REC-E.164, list of assigned country codes
 */
const INTERNATIONAL = /^\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{7,})$/

/** A national number, with the zero that is dialled only within the country. */
const NATIONAL = /^0?(\d{7,})$/

/** The parameter for numbers without their country code, of those stored with it. */
const nationalNumbers = (param: string): string => `${param}:national`

/** The number without its country code; undefined where it has none, or is not a telephone number. */
const nationalNumber = (number: string): string | undefined => INTERNATIONAL.exec(number)?.[1]

/** Other parameters and codes that find the same number. */
function otherForms(param: string, number: string): readonly { readonly param: string; readonly code: string }[] {
  const national = nationalNumber(number)
  // The forms stored without a plus, without a country code, and with the national zero.
  if (national !== undefined) return [number.slice(1), national, `0${national}`].map((code) => ({ param, code }))
  const withoutZero = NATIONAL.exec(number)?.[1]
  if (withoutZero === undefined) return []
  const nationals = [...new Set([number, withoutZero])].map((code) => ({ param: nationalNumbers(param), code }))
  return [{ param, code: `+${number}` }, ...nationals]
}

/** Parses a value with such a modifier; the caller negates `:not-in`. */
function parseTokenCodes(
  parameter: SearchParameter,
  modifier: (typeof CODES_MODIFIERS)[number],
  text: string,
  context: ValueContext,
): Condition {
  switch (modifier) {
    case 'in':
    case 'not-in':
      return inValueSet(parameter.code, text, context)
    case 'above':
    case 'below':
      return aboveOrBelow(parameter, modifier, text, context)
  }
}

/**
 * A condition on the codes of a value set, named by its url, with or without version, or by its address on this server.
 */
function inValueSet(param: string, text: string, context: ValueContext): Condition {
  const canonical = unescaped(text)
  const local = localReference(canonical, context.baseUrl)
  if (local !== undefined && local.type !== 'ValueSet') throw malformed(context, canonical, 'is no ValueSet')
  if (local === undefined && !/^[a-z][a-z0-9+.-]*:\S+$/i.test(canonical)) {
    throw malformed(context, canonical, 'is no value set; write its url, its url|version or ValueSet/id')
  }
  const valueSet = local === undefined ? canonical : `ValueSet/${local.id}`
  return context.lookUp({ kind: 'value-set', name: `${context.name}=${canonical}`, param, valueSet })
}

function aboveOrBelow(
  parameter: SearchParameter,
  direction: Direction,
  text: string,
  context: ValueContext,
): Condition {
  const { code: param, system: own, expression } = parameter
  const parts = splitUnescaped(text, '|').map(unescaped)
  const [first = '', second] = parts
  if (expression.endsWith('.contentType') && parts.length === 1) return mediaTypes(param, direction, first, context)
  const [system, code] = second === undefined ? [own, first] : [first, second]
  if (system === undefined || system === '' || code === '' || parts.length > 2) {
    throw malformed(context, text, `names no code of a code system; write ${context.name}=system|code`)
  }
  return context.lookUp({ kind: 'code', name: `${context.name}=${text}`, param, direction, system, code })
}

function mediaTypes(param: string, direction: Direction, mediaType: string, context: ValueContext): Condition {
  if (direction === 'above') throw malformed(context, mediaType, 'is a media type, which has nothing above; use :below')
  const { types } = context
  return context.lookUp({ kind: 'media-type', name: `${context.name}=${mediaType}`, param, types, mediaType })
}

/** Prefixes that sort after every code, and before every code. */
const [LAST, FIRST] = ['\u{10FFFF}', '\u0001']
/** Most characters of a text. */
const MOST_CHARACTERS = 100

/**
 * The order of concepts that are only text, for which R4 leaves `_sort` to the server
 * (https://hl7.org/fhir/R4/search.html#sort): like resources without a value, they come after all that have a code, in
 * either direction; among themselves they are in the order of their texts. Adds one entry for each direction, under
 * derived names that only `_sort` uses.
 */
export function extractTextOrder(
  { code, element }: SearchParameterRecord,
  value: unknown,
  entries: IndexEntry[],
): void {
  const text = element === 'ContactPoint' || !isObject(value) ? '' : textAlone(value)
  const folded = fold(text.slice(0, MOST_CHARACTERS))
  if (folded === '') return
  const token = { kind: 'token', system: '' } as const
  entries.push({ ...token, param: textOrderParam(code, false), code: LAST + folded })
  entries.push({ ...token, param: textOrderParam(code, true), code: FIRST + folded })
}

/** The text of a CodeableConcept or Coding without any code; an Identifier or a Quantity has none to be sorted by. */
function textAlone({ coding, text, code, display, value, type }: Record<string, unknown>): string {
  if (value !== undefined || type !== undefined || code !== undefined) return ''
  const codings = itemsOf(coding).filter(isObject)
  if (codings.some((one) => one.code !== undefined)) return ''
  const texts = [text, display, ...codings.map((one) => one.display)]
  return texts.find((one) => typeof one === 'string') ?? ''
}
