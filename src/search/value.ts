/**
 * The text of a search value, before its type is considered (https://hl7.org/fhir/R4/search.html#escaping), and the lookups
 * that some values need before a query becomes a plan: the codes of a value set, or the codes or resources above or below
 * one. The parser requests a lookup and continues as if it had found nothing; once it is resolved, the query is parsed
 * again.
 */
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { EMPTY_VALUE } from './parameters.ts'
import { type Condition, NOTHING } from './plan.ts'
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
  /** The time for `ap`, by the clock of the clinic: milliseconds since 1970 UTC. */
  readonly now: number
  /** The time of the machine, for `ap` of `_lastUpdated`, which is by it. */
  readonly machineTime: number
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

export type Direction = 'above' | 'below'

/** A lookup. `name` is the parameter with its value, as the client wrote them; the result is a condition on `param`. */
export type Lookup = { readonly name: string; readonly param: string } & (
  | {
      readonly kind: 'value-set'
      /** `url`, `url|version` or `ValueSet/id`. */
      readonly valueSet: string
    }
  | { readonly kind: 'code'; readonly direction: Direction; readonly system: string; readonly code: string }
  | {
      readonly kind: 'resource'
      readonly direction: Direction
      readonly type: string
      readonly id: string
      /** The reference parameter of `type` that leads upwards: `partof` of Location. */
      readonly parent: string
    }
  /** The stored media types of this kind: `image`, or `text/xml` with any parameters. */
  | { readonly kind: 'media-type'; readonly types: readonly string[]; readonly mediaType: string }
)

export type LookUp = (question: Lookup) => Condition

/** Most lookups of one search: each takes several reads. */
const MAX_LOOKUPS = 20

/** The questions that a parser may ask. */
export interface Questions {
  readonly lookUp: LookUp
  /** True when the clinic has the code system as a case-sensitive one. */
  readonly isCaseSensitive: (system: string) => boolean
}

interface Answers {
  readonly condition: (lookup: Lookup) => Promise<Condition>
  /** The case-sensitive ones among the code systems. */
  readonly caseSensitive: (systems: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * The result of `parse` once all its lookups are resolved.
 * @throws FhirError 400 when there are too many lookups; errors of the lookups
 */
export async function resolveLookups<Parsed>(
  parse: (questions: Questions) => Parsed,
  answers: Answers,
): Promise<Parsed> {
  const resolved = new Map<string, Condition>()
  const sensitive = new Map<string, boolean>()
  for (;;) {
    const open = new Map<string, Lookup>()
    const systems = new Set<string>()
    const lookUp: LookUp = (lookup) => {
      const key = JSON.stringify(lookup)
      const found = resolved.get(key)
      if (found === undefined) open.set(key, lookup)
      return found ?? NOTHING
    }
    const isCaseSensitive = (system: string): boolean => {
      const known = sensitive.get(system)
      if (known === undefined) systems.add(system)
      return known ?? false
    }
    const parsed = parse({ lookUp, isCaseSensitive })
    if (open.size === 0 && systems.size === 0) return parsed
    if (resolved.size + open.size > MAX_LOOKUPS) throw tooMany()
    const found = systems.size === 0 ? systems : await answers.caseSensitive([...systems])
    // It was parsed as if none were.
    if (open.size === 0 && found.size === 0) return parsed
    for (const system of systems) sensitive.set(system, found.has(system))
    for (const [key, lookup] of open) resolved.set(key, await answers.condition(lookup))
  }
}

const tooMany = (): FhirError =>
  new FhirError(400, {
    code: 'too-costly',
    diagnostics: `The search names more than ${MAX_LOOKUPS} value sets and hierarchies; search in parts`,
  })
