/**
 * The collections and indexes of a new database, and the migration of an older one: the steps it lacks, in one
 * transaction, once, however many servers start. Work that takes long in a large database is not part of a step:
 * resources are reindexed in the background (reindex.ts).
 */
import { type ClientSession, type Db, type MongoClient, MongoServerError } from 'mongodb'
import { partOfCombined, StoreOutdated } from '../index/search-index.ts'
import { formUpgrade, type OnUpgrade } from '../index/upgrade.ts'
import { CUSTOM_INDEX } from '../port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { type Collections, collectionsOf, INDEX, INDEXES, LEASE, SCHEMA, type StoreDocument } from './collections.ts'
import { inTransaction } from './transaction.ts'

type Step = (collections: Collections, session: ClientSession) => Promise<void>

/** The first step takes a database from version 1 to 2, and so on. */
const STEPS: readonly Step[] = [addTypeIndexes, forgetCustomIndex]

/** The version that this program writes. */
export const STORE_VERSION = STEPS.length + 1

const NAMESPACE_EXISTS = 48

/**
 * Creates the store in an empty database, or migrates an older one.
 * @param onUpgrade called, and waited for, before the steps that an older database lacks
 * @throws StoreUnavailable when the database was written by a newer version, or belongs to another program
 */
export async function migrate(client: MongoClient, db: Db, onUpgrade?: OnUpgrade): Promise<void> {
  const collections = collectionsOf(db)
  const before = (await collections.store.findOne({ _id: SCHEMA })) ?? (await createStore(db))
  refuseNewer(before)
  const { version = 1 } = before
  if (version < STORE_VERSION) await onUpgrade?.(formUpgrade(version, STORE_VERSION))
  // Indexes can't be created in a transaction.
  const names = Object.keys(INDEXES) as (keyof typeof INDEXES)[]
  await Promise.all(names.map((name) => createIndexes(db, name)))
  if (version < STORE_VERSION) await inTransaction(client, (session) => applySteps(collections, session))
}

/** @throws StoreOutdated when a newer server has migrated the database, before this one started or since */
export function refuseNewer({ version = 0 }: StoreDocument): void {
  if (version <= STORE_VERSION) return
  throw new StoreOutdated(
    `This database was written by a newer version of the server (store version ${version}, this server knows ` +
      `${STORE_VERSION}); start the newer server, or name another database in DATABASE_URL`,
  )
}

/** Applies the missing steps; another server may have applied them by now. */
async function applySteps(collections: Collections, session: ClientSession): Promise<void> {
  const { store } = collections
  const { version = 1 } = (await store.findOne({ _id: SCHEMA }, { session })) ?? {}
  for (const step of STEPS.slice(version - 1)) await step(collections, session)
  await store.updateOne({ _id: SCHEMA }, { $max: { version: STORE_VERSION }, $inc: { epoch: 1 } }, { session })
}

/**
 * Version 2 keeps the state of the search index for each resource type, and each resource has the generation of its
 * items. Version 1 had one list of the combined indexes that are complete.
 */
async function addTypeIndexes({ store }: Collections, session: ClientSession): Promise<void> {
  const filled = (await store.findOne({ _id: 'combined' }, { session }))?.filled as readonly string[] | undefined
  const byType = Map.groupBy(filled ?? [], (name) => name.split(' ', 1)[0] ?? '')
  for (const [type, names] of byType) {
    const parts = names.map((name) => [partOfCombined(name.slice(type.length + 1)), '1'])
    const row = { type, generation: 0, wanted: '{}', filled: JSON.stringify(Object.fromEntries(parts)) }
    await store.insertOne({ _id: INDEX + type, ...row }, { session })
  }
  await store.deleteOne({ _id: 'combined' }, { session })
  await store.insertOne(NO_LEASE, { session })
}

/**
 * Version 3 has another form of how far resources are indexed by a clinic's own search parameters: as the record is due,
 * they are indexed by them anew.
 */
async function forgetCustomIndex({ records }: Collections, session: ClientSession): Promise<void> {
  const forgotten = { $set: { value: '{"types":{}}', due: 0 }, $inc: { version: 1 } }
  for (const clinic of await records.distinct('clinic', {}, { session })) {
    await records.updateOne({ clinic, ...CUSTOM_INDEX }, forgotten, { session })
  }
}

const NO_LEASE: StoreDocument = { _id: LEASE, holder: '', until: new Date(0) }

/**
 * Creates the document `schema`. A database that has collections but no such document belongs to another program.
 * @throws StoreUnavailable when it does
 */
async function createStore(db: Db): Promise<StoreDocument> {
  const { store } = collectionsOf(db)
  const foreign = await foreignCollection(db)
  const found = await store.findOne({ _id: SCHEMA })
  // Another server may have created it meanwhile.
  if (found !== null) return found
  if (foreign !== undefined) {
    throw new StoreUnavailable(
      `The database ${db.databaseName} belongs to another program (it has a collection ${foreign}); ` +
        'name another database in DATABASE_URL, which will be created',
    )
  }
  const schema: StoreDocument = { _id: SCHEMA, version: STORE_VERSION, epoch: 1, extraction: 0 }
  for (const { _id, ...fields } of [NO_LEASE, schema]) {
    await store.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true })
  }
  return schema
}

async function createIndexes(db: Db, name: keyof typeof INDEXES): Promise<void> {
  await db.createCollection(name).catch((error: unknown) => {
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error
  })
  const indexes = INDEXES[name].map(({ name: indexName, fields, unique = false, only }) => ({
    name: indexName,
    key: Object.fromEntries(fields.map((field) => [field, 1])),
    ...(unique ? { unique } : {}),
    ...(only === undefined ? {} : { partialFilterExpression: only }),
  }))
  await db.collection(name).createIndexes(indexes)
}

/** The name of a collection that a new database does not have. */
async function foreignCollection(db: Db): Promise<string | undefined> {
  const names: readonly (keyof Collections)[] = ['resources', 'history', 'records', 'locks']
  const [found] = await db.listCollections({ name: { $in: [...names] } }, { nameOnly: true }).toArray()
  return found?.name
}
