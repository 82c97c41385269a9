/** Records: small documents of the server's own that are not FHIR. */
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb'
import type { RecordChange, RecordQuery, StoredRecord } from '../port.ts'
import type { RecordAddress } from '../recent.ts'
import { StoreConflict } from '../store-errors.ts'
import type { Collections, Filter, RecordDocument } from './collections.ts'
import { TIME_LIMIT } from './connection.ts'
import { readLimits } from './read-limits.ts'

export async function readRecord(
  { records }: Collections,
  { clinic, kind, key }: RecordAddress,
): Promise<StoredRecord | undefined> {
  const found = await records.findOne({ clinic, kind, key }, { projection: { _id: 0 }, maxTimeMS: TIME_LIMIT })
  return found === null ? undefined : toRecord(found)
}

export async function findRecords({ records }: Collections, query: RecordQuery): Promise<readonly StoredRecord[]> {
  const { clinic, kind, dueBefore, after, limit } = query
  const filter: Filter = {
    ...(clinic === undefined ? {} : { clinic }),
    kind,
    ...(dueBefore === undefined ? {} : { due: { $type: 'number', $lte: dueBefore } }),
    ...(after === undefined ? {} : { key: { $gt: after } }),
  }
  const found = await records
    .find(filter, { projection: { _id: 0 }, ...readLimits() })
    .sort(dueBefore === undefined ? { key: 1, clinic: 1 } : { due: 1, clinic: 1, key: 1 })
    .limit(limit)
    .toArray()
  return found.map(toRecord)
}

/**
 * Writes record changes, in a transaction.
 * @throws StoreConflict when a change expects another version than the stored one
 */
export async function writeRecords(
  { records }: Collections,
  session: ClientSession,
  changes: readonly RecordChange[],
): Promise<void> {
  if (changes.length === 0) return
  const versions = await versionsOf(records, session, changes)
  const writes = changes.flatMap((change): readonly AnyBulkWriteOperation<RecordDocument>[] => {
    const version = versions.get(recordKey(change)) ?? 0
    if (change.expect !== 'any' && change.expect !== version) {
      throw new StoreConflict('record', `${change.kind}/${change.key}`)
    }
    versions.set(recordKey(change), change.value === undefined ? 0 : (change.version ?? version + 1))
    return writeOf(change, version)
  })
  if (writes.length > 0) await records.bulkWrite(writes, { session })
}

function writeOf(
  { clinic, kind, key, value, due = null, version: copiedVersion }: RecordChange,
  version: number,
): readonly AnyBulkWriteOperation<RecordDocument>[] {
  const filter = { clinic, kind, key }
  if (value === undefined) return version === 0 ? [] : [{ deleteOne: { filter } }]
  const document = { ...filter, version: copiedVersion ?? version + 1, value: JSON.stringify(value), due }
  return version === 0 ? [{ insertOne: { document } }] : [{ replaceOne: { filter, replacement: document } }]
}

async function versionsOf(
  records: Collections['records'],
  session: ClientSession,
  changes: readonly RecordChange[],
): Promise<Map<string, number>> {
  const filter = { $or: changes.map(({ clinic, kind, key }) => ({ clinic, kind, key })) }
  const projection = { _id: 0, clinic: 1, kind: 1, key: 1, version: 1 }
  const found = await records.find(filter, { session, projection }).toArray()
  return new Map(found.map((record) => [recordKey(record), record.version]))
}

const recordKey = ({ clinic, kind, key }: Pick<RecordChange, 'clinic' | 'kind' | 'key'>): string =>
  JSON.stringify([clinic, kind, key])

export const toRecord = ({ clinic, kind, key, version, value, due }: RecordDocument): StoredRecord => ({
  clinic,
  kind,
  key,
  version,
  value: JSON.parse(value),
  due,
})
