/** Combined indexes: the values of two equalities in one key, then a range, for searches that users make all day. */
import type { CombinedIndex } from '../../search/plan.ts'
import type { Collections, IndexItem, ResourceDocument } from './collections.ts'
import { keyOf, SHORT_SPAN } from './index-items.ts'

/** As `store` keeps it, to know which are filled. */
const nameOf = ({ type, equal, range }: CombinedIndex): string => [type, ...equal, range].join(' ')

const prefixOf = ({ equal, range }: CombinedIndex): string => `combined:${[...equal, range].join(' ')}:`

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
  return ranges.length === 1 && high - low <= SHORT_SPAN ? { v: low, high } : { v: null }
}

function equalValues(param: string, items: readonly IndexItem[]): readonly string[] {
  const values = items.flatMap(({ k, v, type }) => {
    if (k === keyOf('token', param)) return [String(v)]
    return k === keyOf('reference', param) ? [addressOf(type, v)] : []
  })
  return [...new Set(values)]
}

/** Resources that are rewritten with one command. */
const BATCH = 500

/**
 * Brings the stored combinations in line with the declared ones, at start: a new one is filled from what is stored,
 * one that is no longer declared is removed.
 */
export async function reconcileCombined(collections: Collections, declared: readonly CombinedIndex[]): Promise<void> {
  const { store, resources } = collections
  const filled = new Set((await store.findOne({ _id: 'combined' }))?.filled)
  const names = declared.map(nameOf)
  const changed = declared.filter((one) => !filled.has(nameOf(one))).map(({ type }) => type)
  const dropped = [...filled].filter((name) => !names.includes(name)).map((name) => name.split(' ')[0] ?? '')
  for (const type of new Set([...changed, ...dropped])) {
    for (const clinic of await resources.distinct('clinic')) await refill(collections, declared, clinic, type)
  }
  await store.updateOne({ _id: 'combined' }, { $set: { filled: names } }, { upsert: true })
}

async function refill(
  { resources }: Collections,
  declared: readonly CombinedIndex[],
  clinic: string,
  type: string,
): Promise<void> {
  const cursor = resources.find({ clinic, type, live: true }, { projection: { text: 0, resource: 0 } })
  let batch: ReturnType<typeof refilled>[] = []
  for await (const document of cursor) {
    batch.push(refilled(declared, document))
    if (batch.length < BATCH) continue
    await resources.bulkWrite(batch, { ordered: false })
    batch = []
  }
  if (batch.length > 0) await resources.bulkWrite(batch, { ordered: false })
}

/** Only the version that was read: a newer one has its combinations already. */
function refilled(declared: readonly CombinedIndex[], { clinic, type, id, stamp, ix }: ResourceDocument) {
  const entries = ix.filter(({ k }) => !k.startsWith('combined:'))
  const update = { $set: { ix: [...entries, ...combinedItems(declared, type, entries)] } }
  return { updateOne: { filter: { clinic, type, id, stamp }, update } }
}
