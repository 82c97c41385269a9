/**
 * The audit trail in its own collection, through its own client, so that it takes no connections from requests. MongoDB
 * removes old blocks (https://www.mongodb.com/docs/manual/core/index-ttl/).
 */
import { type Collection, type Db, type Filter, MongoServerError } from 'mongodb'
import {
  type AuditBlock,
  type AuditPage,
  type AuditScan,
  type AuditStore,
  keyAt,
  MILLISECONDS_PER_DAY,
  type Retention,
  type StoredBlock,
} from '../audit-port.ts'
import type { Connection } from './connection.ts'
import { insertOnce, PartConnection } from './part-connection.ts'
import type { ReadLimits } from './read-limits.ts'

interface BlockDocument {
  readonly clinic: string
  readonly key: string
  /** Time of the first event. */
  readonly first: Date
  readonly patients: readonly string[]
  readonly events: string
}

const COLLECTION = 'audit'
const EXPIRY = 'by_time'

/** @param url as DATABASE_URL */
export function openMongoAuditStore(url: string, retention: Retention): AuditStore {
  const prepare = async ({ db }: Connection): Promise<Collection<BlockDocument>> => {
    await createIndexes(db, retention)
    return db.collection<BlockDocument>(COLLECTION)
  }
  const part = new PartConnection({ url, what: 'the audit trail', ...{ reading: 2, writing: 1 }, prepare })
  return {
    write: (added) => part.write((blocks) => write(blocks, added)),
    scan: (query) => part.read(query.clinic, (blocks, limits) => scan(blocks, query, limits)),
    read: (clinic, key) => part.read(clinic, (blocks, limits) => read(blocks, { clinic, key }, limits)),
    close: () => part.close(),
  }
}

const INDEX_OPTIONS_CONFLICT = 85

async function createIndexes(db: Db, { days }: Retention): Promise<void> {
  const collection = db.collection(COLLECTION)
  await collection.createIndexes([
    { name: 'by_key', key: { clinic: 1, key: 1 }, unique: true },
    { name: 'by_patient', key: { clinic: 1, patients: 1, key: 1 } },
  ])
  const expireAfterSeconds = (days * MILLISECONDS_PER_DAY) / 1000
  try {
    await collection.createIndexes([{ name: EXPIRY, key: { first: 1 }, expireAfterSeconds }])
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === INDEX_OPTIONS_CONFLICT)) throw error
    // The index exists with another number of days.
    await db.command({ collMod: COLLECTION, index: { name: EXPIRY, expireAfterSeconds } })
  }
}

async function write(collection: Collection<BlockDocument>, blocks: readonly AuditBlock[]): Promise<void> {
  const documents = blocks.map(({ clinic, key, first, patients, events }) => ({
    ...{ clinic, key, first: new Date(first) },
    ...{ patients: [...patients], events },
  }))
  await insertOnce(collection, documents)
}

/** Reads one page. With a patient, the index finds exactly the matching blocks, so none is skipped. */
async function scan(
  collection: Collection<BlockDocument>,
  { clinic, order, from, to, after, patient, limit }: AuditScan,
  limits: ReadLimits,
): Promise<AuditPage> {
  const descending = order === 'newest first'
  const filter: Filter<BlockDocument> = {
    clinic,
    key: {
      ...(after === undefined || descending ? { $gte: keyAt(from) } : { $gt: after }),
      $lt: after === undefined || !descending ? keyAt(to + 1) : after,
    },
    ...(patient === undefined ? {} : { patients: patient }),
  }
  const documents = await collection
    .find(filter, { projection: { _id: 0, patients: 0 }, ...limits })
    .sort({ key: descending ? -1 : 1 })
    .limit(limit)
    .toArray()
  const last = documents.at(-1)
  return {
    blocks: documents.map(blockOf),
    ...(last === undefined || documents.length < limit ? {} : { next: last.key }),
  }
}

async function read(
  collection: Collection<BlockDocument>,
  block: Pick<BlockDocument, 'clinic' | 'key'>,
  limits: ReadLimits,
): Promise<StoredBlock | undefined> {
  const found = await collection.findOne(block, { projection: { _id: 0, patients: 0 }, ...limits })
  return found === null ? undefined : blockOf(found)
}

const blockOf = ({ key, first, events }: Pick<BlockDocument, 'key' | 'first' | 'events'>): StoredBlock => ({
  key,
  first: first.getTime(),
  events,
})
