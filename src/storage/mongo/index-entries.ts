/**
 * Index entries of a resource as items of its array `ix`, which has one multikey index: clinic, type, k, v.
 * https://www.mongodb.com/docs/manual/core/indexes/index-types/index-multikey/
 */
import type { IndexEntry } from '../../search/plan.ts'
import { compositeKey } from '../composite-key.ts'
import type { IndexItem } from './collections.ts'

/**
 * Entries that become items: words become items of strings, and contained resources have their own documents
 * (inner-resources.ts).
 */
type ItemEntry = Exclude<IndexEntry, { kind: 'words' | 'inner' }>
type EntryKind = ItemEntry['kind']

/** The kinds of entries of search parameters. */
export const ENTRY_KINDS: readonly EntryKind[] = [
  ...(['string', 'token', 'reference', 'uri', 'date', 'number', 'quantity', 'position', 'composite'] as const),
]

/** The `k` of the items of a search parameter. */
export const keyOf = (kind: EntryKind, param: string): string => `${kind}:${param}`

/** The band of a latitude: a quarter of a degree, 28 km; within it, positions are sorted by longitude. */
export const bandOf = (latitude: number): number => Math.floor(latitude * 4)

/** An item of every live resource: a search without a selective condition scans these, in the order of creation. */
export const LIVE: IndexItem = { k: 'live', v: true }

/**
 * Spans up to which ranges are short. Longer ranges have a second item by their high end, so that a lower bound on the
 * high end is an index range too: periods of more than a day, and numbers and quantities whose ends differ.
 */
export const SHORT_SPAN: Readonly<Record<RangeKind, number>> = { date: 24 * 60 * 60 * 1000, number: 0, quantity: 0 }
type RangeKind = 'date' | 'number' | 'quantity'
export const longKeyOf = (kind: RangeKind, param: string): string =>
  kind === 'date' ? `long:${param}` : `long:${kind}:${param}`

/**
 * The key of an item of every live resource: the generation of its items (see TypeIndex), and as the fraction their
 * index version, so that one index finds the resources in which either is older.
 */
export const GENERATION = 'generation'

/** Exact for a billion index versions in four million generations. */
const FRACTION = 2 ** -30

export const generationItem = (generation: number, indexVersion: number): IndexItem => ({
  k: GENERATION,
  v: generation + indexVersion * FRACTION,
})

/** The key of an item whose `v` is the `k` of dates or numbers of which the resource has several items. */
export const SEVERAL = 'several'

export function entryItems(entries: readonly IndexEntry[]): readonly IndexItem[] {
  const items = entries.flatMap(itemEntries).flatMap(itemsOf)
  return [LIVE, ...distinct(items), ...several(items)]
}

function itemEntries(entry: IndexEntry): readonly ItemEntry[] {
  if (entry.kind === 'inner') return []
  if (entry.kind !== 'words') return [entry]
  return entry.words.split(' ').map((folded) => ({ kind: 'string', param: entry.param, folded, exact: '' }))
}

function itemsOf(entry: ItemEntry): readonly IndexItem[] {
  const k = keyOf(entry.kind, entry.param)
  const fields = fieldsOf(entry)
  if (!isRange(entry) || entry.high - entry.low <= SHORT_SPAN[entry.kind]) return [{ k, ...fields }]
  const { v: _low, high: _high, ...unit } = fields
  return [
    { k, ...fields },
    { k: longKeyOf(entry.kind, entry.param), v: entry.high, low: entry.low, ...unit },
  ]
}

const isRange = (entry: ItemEntry): entry is Extract<IndexEntry, { kind: RangeKind }> =>
  entry.kind === 'date' || entry.kind === 'number' || entry.kind === 'quantity'

type Value = Omit<IndexItem, 'k'> & Pick<IndexItem, 'v'>

/** The fields of an item; an absent system or version has no field. */
function fieldsOf(entry: ItemEntry): Value {
  switch (entry.kind) {
    case 'string':
      return { v: entry.folded, exact: entry.exact }
    case 'token':
      return { v: entry.code, ...systemOf(entry) }
    case 'key':
      return { v: entry.key }
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

/** Removes duplicates: the same value found twice in a resource is one item. */
const distinct = (items: readonly IndexItem[]): readonly IndexItem[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
]

/**
 * Items that mark repeated range parameters, as two conditions on such a parameter may be fulfilled by different items.
 */
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
