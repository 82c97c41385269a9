/** The text of a search value, before its type is considered: https://hl7.org/fhir/R4/search.html#escaping. */
import { badRequest, type FhirError } from '../fhir/outcome.ts'
import type { LookUp } from './lookup.ts'
import { EMPTY_VALUE } from './parameters.ts'
import type { Condition } from './plan.ts'
import type { IsCaseSensitive } from './token-case.ts'

/** Most values joined by commas in one parameter. */
export const MAX_VALUES_OF_PARAMETER = 200
/** Most characters of one value: longer than any address on the web. */
const MAX_CHARACTERS = 4096

/** The addresses of a transaction's entries by their fullUrl, as references in a search may name them. */
export type Links = ReadonlyMap<string, string>

/** The context of a value, for the parsers of the parameter types. */
export interface ValueContext {
  /** The parameter as the client wrote it, modifiers and all, for messages. */
  readonly name: string
  /** Base address of this server: references below it are its own. */
  readonly baseUrl: string
  readonly links?: Links | undefined
  /** Milliseconds since 1970 UTC, for `ap`. */
  readonly now: number
  /** The types searched by the value. */
  readonly types: readonly string[]
  /** Resolves values that stand for others and have to be looked up. */
  readonly lookUp: LookUp
  readonly isCaseSensitive: IsCaseSensitive
  /** Notifies the client, in addition to the matches, of a value that is well-formed but can find nothing. */
  readonly hint: (diagnostics: string) => void
}

/**
 * The values between the commas.
 * @throws FhirError 400 when they are too many or too long, or one is empty
 */
export function valuesOf(value: string, { name }: Pick<ValueContext, 'name'>): readonly string[] {
  const values = splitUnescaped(value, ',')
  if (values.length > MAX_VALUES_OF_PARAMETER)
    throw badRequest(`${name} has ${values.length} values; ${MAX_VALUES_OF_PARAMETER} are the most`)
  if (values.some(({ length }) => length > MAX_CHARACTERS))
    throw badRequest(`${name} has a value of more than ${MAX_CHARACTERS} characters, the most a search takes`)
  if (values.includes('')) {
    throw badRequest(`${name}=${value} has an empty value; write '\\,' for a comma that belongs to a value`, {
      reason: EMPTY_VALUE,
    })
  }
  return values
}

/** Splits at separators that are not preceded by a backslash; the parts keep their escapes. */
export function splitUnescaped(text: string, separator: ',' | '|' | '$'): readonly string[] {
  if (!text.includes('\\')) return text.split(separator)
  const parts = ['']
  for (const [piece] of text.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === separator) parts.push('')
    else parts.push(`${parts.pop()}${piece}`)
  }
  return parts
}

/** Escapes a text, so that as a search value it stands for itself. */
export const escaped = (text: string): string => text.replace(/[\\,|$]/g, '\\$&')

/** The token `system|code`; without a system, `code` of any system. */
export const tokenText = (system: string | undefined, code: string): string =>
  system === undefined ? escaped(code) : `${escaped(system)}|${escaped(code)}`

/** Removes the backslash from `\,` `\|` `\$` and `\\`; any other backslash stays. */
export const unescaped = (text: string): string => text.replace(/\\([,|$\\])/g, '$1')

/** A 400 for a value: `birthdate=2020-13: '2020-13' is not a date; …`. */
export const malformed = ({ name }: Pick<ValueContext, 'name'>, value: string, what: string): FhirError =>
  badRequest(`${name}=${value}: '${value}' ${what}`)

/** A union, with nested unions flattened; a single condition is returned as it is. */
export function any(conditions: readonly Condition[]): Condition {
  const of = conditions.flatMap((one) => (one.kind === 'any' ? one.of : [one]))
  const [first] = of
  return first !== undefined && of.length === 1 ? first : { kind: 'any', of }
}

/** @throws FhirError 400 naming the valid values */
export function oneOf<Value extends string>(name: string, value: string, values: readonly Value[]): Value {
  const found = values.find((one) => one === value)
  if (found === undefined) throw badRequest(`${name}=${value}: write one of ${values.join(', ')}`)
  return found
}
