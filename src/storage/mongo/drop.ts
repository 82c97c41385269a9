/** Deletes everything that a clinic has, a part at a time. */
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb'
import type { Drop } from '../port.ts'
import type { Filter, HistoryDocument, ResourceDocument } from './collections.ts'
import type { Engine } from './engine.ts'

/** Deletes a part, in a transaction. @returns true when nothing is left */
export async function drop(
  engine: Engine,
  session: ClientSession,
  clinic: string,
  { limit, kinds }: Drop,
): Promise<boolean> {
  const resources = await dropResources(engine, session, clinic, limit)
  const records = await dropRecords(engine, session, clinic, kinds, limit - resources)
  if (resources + records >= limit) return false
  await engine.locks.deleteMany({ clinic }, { session })
  return true
}

type Dropped = Pick<ResourceDocument, '_id' | 'type' | 'id' | 'within'>

/** @returns how many were deleted */
async function dropResources(
  { resources, inner, history }: Engine,
  session: ClientSession,
  clinic: string,
  most: number,
): Promise<number> {
  const options = { projection: { _id: 1, type: 1, id: 1, within: 1 }, hint: 'by_id', limit: most, session }
  const found = await resources.find<Dropped>({ clinic }, options).toArray()
  if (found.length === 0) return 0
  await resources.deleteMany({ clinic, _id: { $in: found.map(({ _id }) => _id) } }, { hint: '_id_', session })
  await history.bulkWrite(deletions<HistoryDocument>(clinic, found), { session, ordered: false })
  const within = found.flatMap((one) => one.within ?? [])
  if (within.length > 0) await inner.bulkWrite(deletions<ResourceDocument>(clinic, within), { session, ordered: false })
  return found.length
}

/** A deletion for each type, so that each goes by the index. */
const deletions = <Document extends HistoryDocument | ResourceDocument>(
  clinic: string,
  addresses: readonly Pick<Document, 'type' | 'id'>[],
): readonly AnyBulkWriteOperation<Document>[] =>
  [...Map.groupBy(addresses, ({ type }) => type)].map(([type, group]) => {
    const filter = { clinic, type, id: { $in: group.map(({ id }) => id) } }
    return { deleteMany: { filter } } as AnyBulkWriteOperation<Document>
  })

/** @returns how many were deleted */
async function dropRecords(
  { records }: Engine,
  session: ClientSession,
  clinic: string,
  kinds: Drop['kinds'],
  most: number,
): Promise<number> {
  if (most === 0) return 0
  const filter: Filter = { clinic, ...(kinds === undefined ? {} : { kind: { $in: kinds } }) }
  const options = { projection: { _id: 1 }, hint: 'by_key', limit: most, session }
  const found = await records.find(filter, options).toArray()
  await records.deleteMany({ clinic, _id: { $in: found.map(({ _id }) => _id) } }, { hint: '_id_', session })
  return found.length
}
