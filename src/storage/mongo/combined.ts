/** Combined indexes: the values of two equalities in one key, then a range, for searches that users make all day. */
import type { CombinedIndex } from '../../search/plan.ts'
import { nameOfCombined } from '../index/index-parts.ts'
import type { IndexItem } from './collections.ts'
import { keyOf, SHORT_SPAN } from './index-entries.ts'

const prefixOf = (declared: CombinedIndex): string => `combined:${nameOfCombined(declared)}:`

export const combinedKey = (declared: CombinedIndex, values: readonly string[]): string =>
  prefixOf(declared) + JSON.stringify(values)

/** A referenced resource as a value of a combination. */
export const addressOf = (type: unknown, id: unknown): string => `${type}/${id}`

/** The items that follow from the other items of a resource. */
export const combinedItems = (
  declared: readonly CombinedIndex[],
  type: string,
  items: readonly IndexItem[],
): readonly IndexItem[] => declared.filter((one) => one.type === type).flatMap((one) => itemsOf(one, items))

function itemsOf(declared: CombinedIndex, items: readonly IndexItem[]): readonly IndexItem[] {
  const ranges = items.filter(({ k }) => k === keyOf('date', declared.range))
  if (ranges.length === 0) return []
  const [firsts, seconds] = declared.equal.map((param) => equalValues(param, items))
  const combinations = (firsts ?? []).flatMap((first) =>
    seconds === undefined ? [[first]] : seconds.map((second) => [first, second]),
  )
  return combinations.map((values) => ({ k: combinedKey(declared, values), ...rangeOf(ranges) }))
}

/** Several periods, or a long one, are somewhere in time: every search looks at them. */
function rangeOf(ranges: readonly IndexItem[]): Pick<IndexItem, 'v'> & { readonly high?: number } {
  const [only] = ranges
  const [low, high] = [Number(only?.v), Number(only?.['high'])]
  return ranges.length === 1 && high - low <= SHORT_SPAN.date ? { v: low, high } : { v: null }
}

function equalValues(param: string, items: readonly IndexItem[]): readonly string[] {
  const values = items.flatMap(({ k, v, type }) => {
    if (k === keyOf('token', param)) return [String(v)]
    return k === keyOf('reference', param) ? [addressOf(type, v)] : []
  })
  return [...new Set(values)]
}
