/**
 * Token parameters: https://hl7.org/fhir/R4/search.html#token.
 * Codes and identifiers are compared exactly, case included, as R4 requires unless a code system says otherwise.
 * A ContactPoint has its `system` code as system (`phone|+15550100` and `+15550100` both find it), and phone numbers
 * and e-mail addresses are compared without formatting and case, which R4 leaves to the server.
 */
import { isNumber } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import type { SearchParameter, SearchParameterRecord } from '../parameters.ts'
import type { Condition, IndexEntry } from '../plan.ts'
import { malformed, splitUnescaped, unescaped, type ValueContext } from '../value.ts'
import { addString, parseString } from './string.ts'
import { CODES_MODIFIERS, parseTokenCodes } from './token-codes.ts'

export const TOKEN_MODIFIERS = ['not', 'text', ...CODES_MODIFIERS, 'of-type'] as const

/** `code`, `system|code`, `|code` (has no system) or `system|` (any code of it). `:not` is left to the caller. */
export function parseToken(
  parameter: SearchParameter,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Condition {
  const { code: param, element } = parameter
  if (modifier === 'text') return parseString(`${param}:text`, undefined, text, context)
  if (modifier === 'of-type') return parseOfType(parameter, text, context)
  const codes = CODES_MODIFIERS.find((one) => one === modifier)
  if (codes !== undefined) return parseTokenCodes(parameter, codes, text, context)
  const [first = '', second, ...rest] = splitUnescaped(text, '|').map(unescaped)
  if (rest.length > 0) {
    throw malformed(context, text, "has more than one '|'; write '\\|' for one that belongs to the code")
  }
  if (second === undefined) return tokenWithoutSystem(parameter, codeOf(first, element, context))
  if (first === '' && second === '') throw malformed(context, text, "has neither system nor code around its '|'")
  if (second === '') return { kind: 'token', param, system: first }
  const code = codeOf(second, element, context)
  // R4 writes `|value` for ContactPoints, whose system is not a code system.
  if (first === '' && element === 'ContactPoint') return { kind: 'token', param, code }
  return { kind: 'token', param, system: first, code }
}

/** An identifier by its type: https://hl7.org/fhir/R4/search.html#modifiers. */
function parseOfType({ code: param, element }: SearchParameter, text: string, context: ValueContext): Condition {
  const parts = splitUnescaped(text, '|').map(unescaped)
  const [system = '', code = '', value = ''] = parts
  if (element !== undefined) throw malformed(context, text, `asks for an identifier, and '${param}' is none`)
  if (parts.length !== 3 || parts.includes('')) {
    throw malformed(context, text, 'is no identifier with its type; write system|code|value, the first two of its type')
  }
  return { kind: 'token', param: ofType(param), system, code: typedValue(code, value) }
}

const ofType = (param: string): string => `${param}:of-type`
/** Neither a code nor what is stored as one begins or ends with a space. */
const typedValue = (code: string, value: string): string => `${code} | ${value}`

/** Where all entries of the parameter have the same system, naming it makes the condition an equality for the index. */
function tokenWithoutSystem({ code: param, element, system }: SearchParameter, code: string): Condition {
  if (element === 'boolean') return { kind: 'token', param, system: '', code }
  return { kind: 'token', param, ...(element === 'code' && system !== undefined ? { system } : {}), code }
}

function codeOf(code: string, element: SearchParameter['element'], context: ValueContext): string {
  // A plus that the client did not escape arrives as a space; no number begins with one.
  if (element === 'ContactPoint') return comparableContact(code.replace(/^ (?=\d)/, '+'))
  if (element === 'boolean' && code !== 'true' && code !== 'false') {
    throw malformed(context, code, 'is neither true nor false')
  }
  return code
}

/** A phone number without its formatting, an e-mail address in lower case, anything else as it is. */
function comparableContact(value: string): string {
  if (value.includes('@')) return value.toLowerCase()
  return /^\+?[\d\s().\-/]+$/.test(value) && /\d/.test(value) ? value.replace(/[^\d+]/g, '') : value
}

/**
 * One entry for each code; texts under `param:text`. A value without any code (only a text or an extension) leaves an
 * entry with neither system nor code, which no search finds but :missing sees.
 */
export function extractToken(
  { code: param, system = '', element }: SearchParameterRecord,
  value: unknown,
  entries: IndexEntry[],
): void {
  if (typeof value === 'string') addToken(param, system, value, entries)
  else if (typeof value === 'boolean' || isNumber(value)) addToken(param, '', String(value), entries)
  else if (!isObject(value)) return
  else if (element === 'ContactPoint')
    addToken(param, textOf(value.system), comparableContact(textOf(value.value)), entries)
  else if (value.coding !== undefined) extractConcept(param, value, entries)
  else if (value.value !== undefined || value.type !== undefined) {
    extractIdentifier(param, value, entries)
    extractTypes(param, value, entries)
  } else extractCoding(param, value, entries)
}

function extractConcept(param: string, { coding, text }: Record<string, unknown>, entries: IndexEntry[]): void {
  if (Array.isArray(coding)) for (const one of coding) if (isObject(one)) extractCoding(param, one, entries)
  addText(param, text, entries)
}

/** A Coding, or a CodeableConcept that is only text. */
function extractCoding(
  param: string,
  { system, code, display, text }: Record<string, unknown>,
  entries: IndexEntry[],
): void {
  addToken(param, textOf(system), textOf(code), entries)
  addText(param, display, entries)
  addText(param, text, entries)
}

export function extractIdentifier(param: string, identifier: Record<string, unknown>, entries: IndexEntry[]): void {
  const { system, value, type } = identifier
  addToken(param, textOf(system), textOf(value), entries)
  if (isObject(type)) addText(param, type.text, entries)
}

/** Under `param:of-type`, so that type and value are compared together. */
function extractTypes(param: string, { type, value }: Record<string, unknown>, entries: IndexEntry[]): void {
  if (!isObject(type) || !Array.isArray(type.coding) || typeof value !== 'string') return
  for (const { system, code } of type.coding.filter(isObject)) {
    if (typeof code === 'string') addToken(ofType(param), textOf(system), typedValue(code, value), entries)
  }
}

/** An entry for :missing alone: a value that cannot be compared. */
export const addPresence = (param: string, entries: IndexEntry[]): void => addToken(param, '', '', entries)

function addToken(param: string, system: string, code: string, entries: IndexEntry[]): void {
  // A system without a code would be found by `system|`, which asks for any code of it.
  entries.push({ kind: 'token', param, system: code === '' ? '' : system, code })
}

function addText(param: string, text: unknown, entries: IndexEntry[]): void {
  if (typeof text === 'string') addString(`${param}:text`, text, entries)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
