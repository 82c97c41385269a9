/** The resources that have one of many keys. */
import { keysPlan } from '../keys-plan.ts'
import type { FoundByKeys, KeysQuery } from '../port.ts'
import type { Filter } from './collections.ts'
import type { Engine } from './engine.ts'
import { keyOf } from './index-entries.ts'
import { readLimits } from './read-limits.ts'
import { readRows } from './read-rows.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'

const NOTHING: FoundByKeys = { resources: [], tooCommon: [], isCut: false }

/**
 * The resources that have one of the keys. Keys are usually rare, so one command reads all resources that have any of
 * them; only where these are more than one beginning may have are they counted per beginning.
 * @throws IndexIncomplete
 */
export async function findByKeys(engine: Engine, query: KeysQuery): Promise<FoundByKeys> {
  engine.index.check(keysPlan(query))
  const { beginnings, most, some = false } = query
  if (beginnings.length === 0) return NOTHING
  const all = await readWith(engine, query, beginnings, most + 1)
  // The cut-off rest may hide a key that is too common.
  if (!all.isCut && all.items.length <= most) return { resources: resourcesOf(all.items), tooCommon: [], isCut: false }
  const counted: Counted[] = []
  // One after the other, as the clinic has one connection for this read.
  for (const beginning of beginnings) counted.push(await countUpToMost(engine, query, beginning))
  const tooCommon = counted.flatMap(({ beginning, count }) => (count > most ? [beginning] : []))
  const rare = counted.flatMap(({ beginning, count }) => (count > most ? [] : [beginning]))
  if (some) return { ...(await readInOrder(engine, query, counted)), tooCommon }
  const found = rare.length === 0 ? { items: [], isCut: false } : await readWith(engine, query, rare)
  return { resources: resourcesOf(found.items), tooCommon, isCut: found.isCut }
}

type Items = Awaited<ReturnType<typeof readWith>>['items']

const resourcesOf = (items: Items) => items.map(({ resource }) => resource)

/** At most `query.most` resources, those of earlier beginnings first. */
async function readInOrder(
  engine: Engine,
  query: KeysQuery,
  counted: readonly Counted[],
): Promise<Pick<FoundByKeys, 'resources' | 'isCut'>> {
  const found = new Map<string, Items[number]['resource']>()
  for (const { beginning, count } of counted) {
    if (count === 0) continue
    const { items, isCut } = await readWith(engine, query, [beginning], query.most)
    for (const { resource } of items) {
      if (found.size < query.most) found.set(resource.id, resource)
      else if (!found.has(resource.id)) return { resources: [...found.values()], isCut: true }
    }
    if (isCut) return { resources: [...found.values()], isCut }
  }
  return { resources: [...found.values()], isCut: false }
}

/** @param limit most resources; absent: no limit */
async function readWith({ resources }: Engine, query: KeysQuery, beginnings: readonly string[], limit?: number) {
  const found = resources.find(filterOf(query, beginnings), {
    projection: { _id: 0, ...VERSION_FIELDS },
    hint: 'by_entry',
    ...(limit === undefined ? {} : { limit }),
    ...readLimits(),
  })
  return await readRows(found, (document) => ({ resource: toStored(document) }))
}

interface Counted {
  readonly beginning: string
  /** A count above `most` is a lower bound. */
  readonly count: number
}

async function countUpToMost({ resources }: Engine, query: KeysQuery, beginning: string): Promise<Counted> {
  const options = { hint: 'by_entry', limit: query.most + 1, ...readLimits() }
  return { beginning, count: await resources.countDocuments(filterOf(query, [beginning]), options) }
}

const filterOf = ({ clinic, type, param }: KeysQuery, beginnings: readonly string[]): Filter => ({
  clinic,
  type,
  ix: { $elemMatch: { k: keyOf('key', param), v: { $in: beginnings.map(beginningWith) } } },
})

/** A pattern for a beginning; as all its special characters are escaped, MongoDB makes it a range of the index. */
const beginningWith = (text: string): RegExp => new RegExp(`^${text.replace(/[^\p{L}\p{N}]/gu, '\\$&')}`)
