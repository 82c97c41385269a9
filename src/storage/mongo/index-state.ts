/** The state of the search index, as the database stores it (see index/search-index.ts). */
import { MongoBulkWriteError } from 'mongodb'
import type { IndexState, Parts, TypeIndex } from '../index/search-index.ts'
import { type Collections, INDEX, LEASE, SCHEMA, type StoreDocument } from './collections.ts'
import { DUPLICATE_KEY } from './faults.ts'
import { refuseNewer } from './schema.ts'

type Store = Pick<Collections, 'store'>

export const epochOf = async ({ store }: Store): Promise<number> => (await store.findOne({ _id: SCHEMA }))?.epoch ?? 0

/** @throws StoreOutdated when a newer server has changed the form of the database */
export async function readState({ store }: Store): Promise<IndexState> {
  // The epoch is read first: a change between the two reads then shows as another epoch the next time.
  const schema = await store.findOne({ _id: SCHEMA })
  if (schema !== null) refuseNewer(schema)
  const rows = await store.find({ _id: { $gte: INDEX, $lt: 'index;' } }).toArray()
  const types = rows.map(toTypeIndex)
  return {
    epoch: schema?.epoch ?? 0,
    extraction: schema?.extraction ?? 0,
    types: new Map(types.map((index) => [index.type, index])),
  }
}

function toTypeIndex({ type = '', generation = 0, wanted = '{}', filled, completed }: StoreDocument): TypeIndex {
  return {
    type,
    generation,
    wanted: JSON.parse(wanted) as Parts,
    filled: JSON.parse(filled ?? wanted) as Parts,
    ...(completed === undefined ? {} : { completed }),
  }
}

/** The types of which some clinic has a resource, with the number of those in all clinics; deleted ones count. */
export async function storedTypes({ resources }: Collections): Promise<ReadonlyMap<string, number>> {
  const types = new Map<string, number>()
  for (const clinic of await resources.distinct('clinic')) {
    for (const type of await resources.distinct('type', { clinic })) {
      const count = await resources.countDocuments({ clinic, type }, { hint: 'by_id' })
      types.set(type, (types.get(type) ?? 0) + count)
    }
  }
  return types
}

/**
 * Writes each type whose stored generation is the previous one. For any other type nothing is replaced, and the insert
 * fails, as its id is taken.
 */
export async function claim({ store }: Store, types: readonly TypeIndex[], extraction: number): Promise<void> {
  const writes = types.map(({ wanted, filled, ...index }) => ({
    replaceOne: {
      filter: { _id: INDEX + index.type, generation: index.generation - 1 },
      replacement: { ...index, wanted: JSON.stringify(wanted), filled: JSON.stringify(filled) },
      upsert: true,
    },
  }))
  if (writes.length > 0) await store.bulkWrite(writes, { ordered: false }).catch(unlessTaken)
  await store.updateOne({ _id: SCHEMA }, { $max: { extraction }, $inc: { epoch: 1 } })
}

/** @throws MongoBulkWriteError for any error other than an id that is taken */
function unlessTaken(error: unknown): void {
  const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
  if (refused.length === 0 || refused.some(({ code }) => code !== DUPLICATE_KEY)) throw error
}

/** Marks a type as complete; does nothing when another generation has been claimed since. */
export async function complete({ store }: Store, { type, generation, wanted }: TypeIndex): Promise<void> {
  const change = { $set: { filled: JSON.stringify(wanted), completed: Date.now() } }
  await store.updateOne({ _id: INDEX + type, generation }, change)
  await store.updateOne({ _id: SCHEMA }, { $inc: { epoch: 1 } })
}

/** Takes the lease by the clock of the database, as those of servers may differ; false: another server has it. */
export async function lease({ store }: Store, holder: string, milliseconds: number): Promise<boolean> {
  const { matchedCount } = await store.updateOne(
    { _id: LEASE, $or: [{ holder }, { $expr: { $lt: ['$until', '$$NOW'] } }] },
    [{ $set: { holder, until: { $add: ['$$NOW', milliseconds] } } }],
  )
  return matchedCount === 1
}
