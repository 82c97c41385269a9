/**
 * Combined indexes: the values of one or two equalities in one key, then a range; their items, and the terms that use
 * them.
 */
import type { CombinedIndex, Condition } from '../../search/plan.ts'
import { intersection } from '../../search/range-bounds.ts'
import { nameOfCombined } from '../index/search-index.ts'
import type { IndexItem } from './collections.ts'
import { within } from './entry-terms.ts'
import { keyOf, SHORT_SPAN } from './index-entries.ts'
import { isOneOf, item, type Term } from './term.ts'

const combinedKey = (declared: CombinedIndex, values: readonly string[]): string =>
  `combined:${nameOfCombined(declared)}:${JSON.stringify(values)}`

/** A reference as a value of the key. */
const referenceValue = (type: unknown, id: unknown): string => `${type}/${id}`

/** The items of a resource's combined indexes, from its other items. */
export const combinedItems = (
  declared: readonly CombinedIndex[],
  type: string,
  items: readonly IndexItem[],
): readonly IndexItem[] => declared.filter((one) => one.type === type).flatMap((one) => itemsFor(one, items))

function itemsFor(declared: CombinedIndex, items: readonly IndexItem[]): readonly IndexItem[] {
  const ranges = items.filter(({ k }) => k === keyOf('date', declared.range))
  if (ranges.length === 0) return []
  const combinations = combinationsOf(declared.equal.map((param) => equalValues(param, items)))
  return combinations.map((values) => ({ k: combinedKey(declared, values), ...rangeOf(ranges) }))
}

/** Every way to take one value of each list. */
const combinationsOf = (lists: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  lists.reduce<readonly (readonly string[])[]>(
    (all, values) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  )

/**
 * The range of an item; without a value where there are several periods, or a long one: every search tests these items.
 */
function rangeOf(ranges: readonly IndexItem[]): Pick<IndexItem, 'v'> & { readonly high?: number } {
  const [only] = ranges
  const [low, high] = [Number(only?.v), Number(only?.['high'])]
  return ranges.length === 1 && high - low <= SHORT_SPAN.date ? { v: low, high } : { v: null }
}

function equalValues(param: string, items: readonly IndexItem[]): readonly string[] {
  const values = items.flatMap(({ k, v, type }) => {
    if (k === keyOf('token', param)) return [String(v)]
    return k === keyOf('reference', param) ? [referenceValue(type, v)] : []
  })
  return [...new Set(values)]
}

/** Most keys of one search. */
const MAX_KEYS = 64

/**
 * The term of a combined index for one or two equalities and a range, if one is declared. It only finds candidates:
 * each condition also has a term of its own.
 */
export function combinedTerm(
  declared: readonly CombinedIndex[],
  type: string,
  conditions: readonly Condition[],
): readonly Term[] {
  const terms = declared.filter((one) => one.type === type).flatMap((one) => termOf(one, conditions) ?? [])
  return terms.slice(0, 1)
}

function termOf(declared: CombinedIndex, conditions: readonly Condition[]): Term | undefined {
  const ranges = conditions.flatMap((condition) =>
    condition.kind === 'date' && condition.param === declared.range ? [condition.bounds] : [],
  )
  const equalities = declared.equal.map(
    (param) => conditions.map((condition) => valuesOf(condition, param)).find((values) => values.length > 0) ?? [],
  )
  const keys = combinationsOf(equalities).map((values) => combinedKey(declared, values))
  if (ranges.length === 0 || keys.length === 0 || keys.length > MAX_KEYS) return undefined
  const k = isOneOf(keys)
  const filters = [
    { k, ...within(ranges.reduce(intersection), SHORT_SPAN.date) },
    { k, v: null },
  ].map(item)
  return {
    filter: {},
    source: { index: 'by_entry', filters, exact: false, inCreationOrder: false, declared: true },
  }
}

/** The values of which `param` must have one; none for every other condition. */
function valuesOf(condition: Condition, param: string): readonly string[] {
  if (condition.kind === 'any') {
    const values = condition.of.map((part) => valuesOf(part, param))
    return values.every((one) => one.length > 0) ? values.flat() : []
  }
  if (condition.kind === 'token' && condition.param === param)
    return condition.code === undefined ? [] : [condition.code]
  if (condition.kind !== 'reference' || condition.param !== param || condition.type === undefined) return []
  return [referenceValue(condition.type, condition.id)]
}
