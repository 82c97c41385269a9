/**
 * Index entries of a resource as items of its array `ix`, which one multikey index serves: clinic, type, k, v.
 * https://www.mongodb.com/docs/manual/core/indexes/index-types/index-multikey/
 */
import type { IndexEntry } from '../../search/plan.ts'
import { compositeKey } from '../composite-key.ts'
import type { IndexItem } from './collections.ts'

export type EntryKind = IndexEntry['kind']

export const ENTRY_KINDS: readonly EntryKind[] = [
  ...(['string', 'token', 'reference', 'uri', 'date', 'number', 'quantity', 'position', 'composite'] as const),
]

export const keyOf = (kind: EntryKind, param: string): string => `${kind}:${param}`

/** A quarter of a degree, 28 km: within one, positions lie by longitude. */
export const bandOf = (latitude: number): number => Math.floor(latitude * 4)

/** Every live resource has it: what a search without a selective condition walks, in the order of creation. */
export const LIVE: IndexItem = { k: 'live', v: true }

/**
 * Ranges that are longer have a second item by their high end, so that "not over before" need not look at all of them:
 * periods of more than a day, and numbers that are no points.
 */
export const SHORT_SPAN: Readonly<Record<RangeKind, number>> = { date: 24 * 60 * 60 * 1000, number: 0, quantity: 0 }
type RangeKind = 'date' | 'number' | 'quantity'
export const longKeyOf = (kind: RangeKind, param: string): string =>
  kind === 'date' ? `long:${param}` : `long:${kind}:${param}`

/**
 * Every live resource has it: by which generation (see TypeIndex) its items were made, and behind the point by which
 * version of CUSTOM_PARAMETERS, so that one index finds what is older in either.
 */
export const GENERATION = 'generation'

/** Exact for a thousand million versions, in four million generations. */
const VERSION = 2 ** -30

export const generationItem = (generation: number, indexVersion: number): IndexItem => ({
  k: GENERATION,
  v: generation + indexVersion * VERSION,
})

/** v names a `k` of dates or numbers that the resource has several items of. */
export const SEVERAL = 'several'

export function itemsOf(entries: readonly IndexEntry[]): readonly IndexItem[] {
  const items = entries.flatMap(itemsOfEntry)
  return [LIVE, ...distinct(items), ...several(items)]
}

function itemsOfEntry(entry: IndexEntry): readonly IndexItem[] {
  const k = keyOf(entry.kind, entry.param)
  const fields = fieldsOf(entry)
  if (!isRange(entry) || entry.high - entry.low <= SHORT_SPAN[entry.kind]) return [{ k, ...fields }]
  const { v: _low, high: _high, ...unit } = fields
  return [
    { k, ...fields },
    { k: longKeyOf(entry.kind, entry.param), v: entry.high, low: entry.low, ...unit },
  ]
}

const isRange = (entry: IndexEntry): entry is Extract<IndexEntry, { kind: RangeKind }> =>
  entry.kind === 'date' || entry.kind === 'number' || entry.kind === 'quantity'

type Value = Omit<IndexItem, 'k'> & Pick<IndexItem, 'v'>

/** A field that says nothing (no system, no version) is left out. */
function fieldsOf(entry: IndexEntry): Value {
  switch (entry.kind) {
    case 'string':
      return { v: entry.folded, exact: entry.exact }
    case 'token':
      return { v: entry.code, ...systemOf(entry) }
    case 'reference':
      return { v: entry.id, type: entry.type, ...(entry.version === undefined ? {} : { version: entry.version }) }
    case 'uri':
      return { v: entry.value }
    case 'date':
    case 'number':
      return { v: entry.low, high: entry.high }
    case 'quantity':
      return { v: entry.low, high: entry.high, ...systemOf(entry), code: entry.code }
    case 'position':
      return { v: { band: bandOf(entry.latitude), longitude: entry.longitude }, latitude: entry.latitude }
    case 'composite': {
      const { rest, ...v } = compositeKey(entry.parts)
      return { v, rest }
    }
  }
}

const systemOf = ({ system }: { readonly system: string }) => (system === '' ? {} : { system })

/** The same value found twice in a resource is one item. */
const distinct = (items: readonly IndexItem[]): readonly IndexItem[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
]

/** Two conditions on one range parameter may be met by different items, but only where there are several. */
function several(items: readonly IndexItem[]): readonly IndexItem[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { k } of items) {
    if (!/^(date|number):/.test(k)) continue
    if (seen.has(k)) repeated.add(k)
    seen.add(k)
  }
  return [...repeated].map((k) => ({ k: SEVERAL, v: k }))
}
