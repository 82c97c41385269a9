/** Short ways to ask the search what a query means, what a resource is found by, and whether one finds the other. */
import type { AnyResource } from '../../src/fhir/resource.ts'
import { extractEntries } from '../../src/search/extract.ts'
import { type ParsedSearch, parseSearch, type SearchOptions } from '../../src/search/parse.ts'
import type { Condition, IndexEntry, RangeBounds } from '../../src/search/plan.ts'

export const BASE = 'https://emr.example/fhir'

export const OPTIONS: Omit<SearchOptions, 'types'> = {
  clinic: 'north',
  lenient: false,
  defaultCount: 20,
  maxCount: 100,
  includeLimit: 500,
  baseUrl: BASE,
  now: Date.UTC(2024, 0, 1),
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

export const where = (text: string): readonly Condition[] => search(text).plan.where

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

export const finds = (text: string, resource: AnyResource & Record<string, unknown>): boolean => {
  const entries = extractEntries(resource, BASE)
  return where(text).every((condition) => holds(condition, entries))
}

/** What a condition means, word for word of plan.ts, for those that look at one resource alone. */
export function holds(condition: Condition, entries: readonly IndexEntry[]): boolean {
  const some = (test: (entry: IndexEntry) => boolean) => entries.some(test)
  const fits = (wanted: string | undefined, found: string | undefined) => wanted === undefined || wanted === found
  switch (condition.kind) {
    case 'any':
      return condition.of.some((one) => holds(one, entries))
    case 'all':
      return condition.of.every((one) => holds(one, entries))
    case 'not':
      return !holds(condition.of, entries)
    case 'missing':
      return some(({ param }) => param === condition.param) !== condition.missing
    case 'string':
      return some((entry) => entry.kind === 'string' && entry.param === condition.param && matches(condition, entry))
    case 'token':
      return some(
        (entry) =>
          entry.kind === 'token' &&
          entry.param === condition.param &&
          fits(condition.system, entry.system) &&
          fits(condition.code, entry.code),
      )
    case 'reference':
      return some(
        (entry) =>
          entry.kind === 'reference' &&
          entry.param === condition.param &&
          entry.id === condition.id &&
          fits(condition.type, entry.type) &&
          fits(condition.version, entry.version),
      )
    case 'uri':
      return some((entry) => entry.kind === 'uri' && entry.param === condition.param && entry.value === condition.value)
    case 'date':
    case 'number':
      return some(
        (entry) => entry.kind === condition.kind && entry.param === condition.param && within(condition.bounds, entry),
      )
    default:
      throw new Error(`${condition.kind} looks at more than one resource`)
  }
}

function matches(
  { match, value }: Extract<Condition, { kind: 'string' }>,
  { folded, exact }: Extract<IndexEntry, { kind: 'string' }>,
): boolean {
  if (match === 'exact') return exact === value
  return match === 'prefix' ? folded.startsWith(value) : folded.includes(value)
}

const within = (bounds: RangeBounds, { low, high }: { readonly low: number; readonly high: number }): boolean =>
  low >= (bounds.lowMin ?? Number.NEGATIVE_INFINITY) &&
  low <= (bounds.lowMax ?? Number.POSITIVE_INFINITY) &&
  high >= (bounds.highMin ?? Number.NEGATIVE_INFINITY) &&
  high <= (bounds.highMax ?? Number.POSITIVE_INFINITY)
