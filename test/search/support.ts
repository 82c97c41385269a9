/** Shortcuts to parse a query, to extract the entries of a resource, and to tell whether one finds the other. */
import type { AnyResource } from '../../src/fhir/resource.ts'
import { extractEntries } from '../../src/search/index/extract.ts'
import { matches } from '../../src/search/matches.ts'
import type { Condition, IndexEntry } from '../../src/search/plan.ts'
import { type ParsedSearch, parseSearch, type SearchOptions } from '../../src/search/query/parse.ts'

export const BASE = 'https://emr.example/fhir'

export const OPTIONS: Omit<SearchOptions, 'types'> = {
  clinic: 'north',
  lenient: false,
  defaultCount: 20,
  maxCount: 100,
  includeLimit: 500,
  baseUrl: BASE,
  now: Date.UTC(2024, 0, 1),
  machineTime: Date.UTC(2024, 0, 1),
  // Puts the lookup into the condition, where a test can see it.
  lookUp: (lookup) => ({ kind: 'missing', param: JSON.stringify(lookup), missing: false }),
}

/** `Type?query`, the query not percent-encoded. */
export function search(text: string, options: Partial<SearchOptions> = {}): ParsedSearch {
  const [type = '', query = ''] = text.split(/\?(.*)/s)
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    return [name, value] as const
  })
  return parseSearch(pairs, { ...OPTIONS, types: [type], ...options })
}

export const where = (text: string, options: Partial<SearchOptions> = {}): readonly Condition[] =>
  search(text, options).plan.where

/** Names that begin with `value` (folded), or in which a later word does. */
export function namePrefix(param: string, value: string): Condition {
  const whole = { kind: 'string', param, match: 'prefix', value } as const
  return { kind: 'any', of: [whole, { ...whole, param: `${param}:later-words` }] }
}

/** The message of the refusal. */
export function refusal(text: string, options: Partial<SearchOptions> = {}): string {
  try {
    search(text, options)
  } catch (error) {
    if (error instanceof Error) return error.message
  }
  return `${text} was accepted`
}

/** The entries of one parameter. */
export const entriesOf = (param: string, resource: AnyResource & Record<string, unknown>): readonly IndexEntry[] =>
  extractEntries(resource, BASE).filter((entry) => entry.param === param)

export const finds = (
  text: string,
  resource: AnyResource & Record<string, unknown>,
  options: Partial<SearchOptions> = {},
): boolean => {
  const entries = extractEntries(resource, BASE)
  return where(text, options).every((condition) => holds(condition, entries))
}

/** Whether a condition on one resource alone holds for one that has these entries. */
export const holds = (condition: Condition, entries: readonly IndexEntry[]): boolean =>
  matches(condition, { type: 'Basic', id: 'one', lastUpdated: 0, entries })
