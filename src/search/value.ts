/** The text of a search value, before any type looks at it: https://hl7.org/fhir/R4/search.html#escaping. */
import { badRequest, type FhirError } from '../fhir/outcome.ts'
import type { LookUp } from './lookup.ts'
import { EMPTY_VALUE } from './parameters.ts'
import type { Condition } from './plan.ts'
import type { IsCaseSensitive } from './token-case.ts'

/** Values joined by commas in one parameter. */
export const MAX_VALUES_OF_PARAMETER = 200
/** Characters of one value: longer than any address on the web. */
const MAX_CHARACTERS = 4096

/** In a transaction: the addresses of its entries by their fullUrl, as a reference of a search may name them. */
export type Links = ReadonlyMap<string, string>

/** What the parsers of the parameter types get besides the value. */
export interface ValueContext {
  /** The parameter as the client wrote it, modifiers and all, for messages. */
  readonly name: string
  /** Base address of this server: references below it are its own. */
  readonly baseUrl: string
  readonly links?: Links | undefined
  /** Milliseconds since 1970 UTC, for `ap`. */
  readonly now: number
  /** Those that are searched by it. */
  readonly types: readonly string[]
  /** For values that stand for others, which have to be looked up. */
  readonly lookUp: LookUp
  readonly isCaseSensitive: IsCaseSensitive
  /** Tells the client, beside what the search finds, of a value that is well-formed and can find nothing. */
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

/** Splits at separators that no backslash precedes; the parts keep their escapes. */
export function splitUnescaped(text: string, separator: ',' | '|' | '$'): readonly string[] {
  if (!text.includes('\\')) return text.split(separator)
  const parts = ['']
  for (const [piece] of text.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === separator) parts.push('')
    else parts.push(`${parts.pop()}${piece}`)
  }
  return parts
}

/** A text as a search value that stands for it alone. */
export const escaped = (text: string): string => text.replace(/[\\,|$]/g, '\\$&')

/** `system|code`, of any system where that is absent. */
export const tokenText = (system: string | undefined, code: string): string =>
  system === undefined ? escaped(code) : `${escaped(system)}|${escaped(code)}`

/** Takes the backslash from `\,` `\|` `\$` and `\\`; any other backslash is itself. */
export const unescaped = (text: string): string => text.replace(/\\([,|$\\])/g, '$1')

/** 400 for a value: `birthdate=2020-13: '2020-13' is not a date; …`. */
export const malformed = ({ name }: Pick<ValueContext, 'name'>, value: string, what: string): FhirError =>
  badRequest(`${name}=${value}: '${value}' ${what}`)

/** A union, of unions too; a single condition is returned as it is. */
export function any(conditions: readonly Condition[]): Condition {
  const of = conditions.flatMap((one) => (one.kind === 'any' ? one.of : [one]))
  const [first] = of
  return first !== undefined && of.length === 1 ? first : { kind: 'any', of }
}

/** @throws FhirError 400 naming the values there are */
export function oneOf<Value extends string>(name: string, value: string, values: readonly Value[]): Value {
  const found = values.find((one) => one === value)
  if (found === undefined) throw badRequest(`${name}=${value}: write one of ${values.join(', ')}`)
  return found
}
