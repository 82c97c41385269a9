/**
 * Combined indexes: the values of one or two equalities in one key, then a range; their items, and the terms that use
 * them.
 */
import type { CombinedIndex, Condition } from '../../search/plan.ts'
import { nameOfCombined } from '../index/index-parts.ts'
import type { IndexItem } from './collections.ts'
import { keyOf, SHORT_SPAN } from './index-entries.ts'
import { intersection, withinShort } from './range-terms.ts'
import { type CompiledCondition, isOneOf, item, type Term } from './term.ts'

const prefixOf = (declared: CombinedIndex): string => `combined:${nameOfCombined(declared)}:`

const combinedKey = (declared: CombinedIndex, values: readonly string[]): string =>
  prefixOf(declared) + JSON.stringify(values)

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
  const [firsts, seconds] = declared.equal.map((param) => equalValues(param, items))
  const combinations = (firsts ?? []).flatMap((first) =>
    seconds === undefined ? [[first]] : seconds.map((second) => [first, second]),
  )
  return combinations.map((values) => ({ k: combinedKey(declared, values), ...rangeOf(ranges) }))
}

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
  compiled: readonly CompiledCondition[],
): readonly Term[] {
  for (const one of declared) {
    const term = one.type === type ? termOf(one, compiled) : undefined
    if (term !== undefined) return [term]
  }
  return []
}

function termOf(declared: CombinedIndex, compiled: readonly CompiledCondition[]): Term | undefined {
  const ranges = compiled.flatMap(({ condition, term }) =>
    condition.kind === 'date' && condition.param === declared.range ? [{ bounds: condition.bounds, term }] : [],
  )
  const equalities = declared.equal.map((param) => equalityOn(param, compiled))
  const keys = keysOf(declared, equalities)
  if (ranges.length === 0 || keys.length === 0 || keys.length > MAX_KEYS) return undefined
  const k = isOneOf(keys)
  const bounds = ranges.map((range) => range.bounds).reduce(intersection)
  const filters = [
    { k, ...withinShort(bounds, SHORT_SPAN.date) },
    { k, v: null },
  ].map(item)
  const proven = [...ranges, ...equalities.filter((one) => one?.isExact)].flatMap((one) => one?.term ?? [])
  return {
    filter: {},
    source: {
      index: 'by_entry',
      filters,
      exact: false,
      inCreationOrder: false,
      cardinalityKey: 'combined',
      declared: true,
      proves: [proven],
    },
  }
}

/** A condition that `param` has one of several values. */
interface EqualityOn {
  readonly values: readonly string[]
  /** True when the condition has no further requirement. */
  readonly isExact: boolean
  readonly term: Term
}

function equalityOn(param: string, compiled: readonly CompiledCondition[]): EqualityOn | undefined {
  for (const { condition, term } of compiled) {
    const values = valuesOf(condition, param)
    if (values.length > 0) return { values, isExact: isExact(condition), term }
  }
  return undefined
}

/** One key for each combination of the values; none when a parameter has no condition. */
function keysOf(declared: CombinedIndex, equalities: readonly (EqualityOn | undefined)[]): readonly string[] {
  const [firsts = [], seconds = []] = equalities.map((one) => one?.values ?? [])
  return firsts.flatMap((first) =>
    declared.equal.length === 1
      ? [combinedKey(declared, [first])]
      : seconds.map((second) => combinedKey(declared, [first, second])),
  )
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

/** False for conditions on the system of a token or the version of a reference, which the key does not contain. */
function isExact(condition: Condition): boolean {
  if (condition.kind === 'any') return condition.of.every(isExact)
  if (condition.kind === 'token') return condition.system === undefined
  return condition.kind === 'reference' && condition.version === undefined
}
