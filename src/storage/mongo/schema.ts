/**
 * Collections and indexes of a new database, and how an older one becomes a current one: by the steps it lacks, in one
 * transaction, once, however many servers start. What takes long in a large database is no step: items of resources are
 * reindexed in the background (reindex.ts).
 */
import { type ClientSession, type Db, type MongoClient, MongoServerError } from 'mongodb'
import { partOfCombined } from '../index/index-parts.ts'
import { StoreOutdated } from '../index/search-index.ts'
import { StoreUnavailable } from '../port.ts'
import { type Collections, collectionsOf, INDEX, INDEXES, LEASE, SCHEMA, type StoreDocument } from './collections.ts'
import { inTransaction } from './transaction.ts'

type Step = (store: Collections['store'], session: ClientSession) => Promise<void>

/** Step n takes a database from version n + 1 to n + 2; the last one's end is the version this program writes. */
const STEPS: readonly Step[] = [keepAccountByType]
const VERSION = STEPS.length + 1

const NAMESPACE_EXISTS = 48

/**
 * Makes an empty database ours, or brings an older one up to date.
 * @throws StoreUnavailable when the database was written by a newer version, or is not a store at all
 */
export async function migrate(client: MongoClient, db: Db): Promise<void> {
  const { store } = collectionsOf(db)
  const before = (await store.findOne({ _id: SCHEMA })) ?? (await begin(db))
  refuseNewer(before)
  // Transactions can't make an index, so all are made before.
  for (const name of Object.keys(INDEXES) as (keyof typeof INDEXES)[]) await prepare(db, name)
  if (before.version !== VERSION) await inTransaction(client, (session) => takeSteps(store, session))
}

/** @throws StoreOutdated when a newer server has changed the form of the database, before or while this one runs */
export function refuseNewer({ version = 0 }: StoreDocument): void {
  if (version <= VERSION) return
  throw new StoreOutdated(
    `This database was written by a newer version of the server (store version ${version}, this server knows ` +
      `${VERSION}); start the newer server, or name another database in DATABASE_URL`,
  )
}

/** Another server may have taken them by now. */
async function takeSteps(store: Collections['store'], session: ClientSession): Promise<void> {
  const { version = 1 } = (await store.findOne({ _id: SCHEMA }, { session })) ?? {}
  for (const step of STEPS.slice(version - 1)) await step(store, session)
  await store.updateOne({ _id: SCHEMA }, { $max: { version: VERSION }, $inc: { epoch: 1 } }, { session })
}

/**
 * How far the search index is, is kept for each resource type, and each resource says by which generation its items
 * were made; version 1 knew it of combined indexes only, which were there as a whole.
 */
async function keepAccountByType(store: Collections['store'], session: ClientSession): Promise<void> {
  const filled = (await store.findOne({ _id: 'combined' }, { session }))?.filled as readonly string[] | undefined
  const byType = Map.groupBy(filled ?? [], (name) => name.split(' ', 1)[0] ?? '')
  for (const [type, names] of byType) {
    const parts = names.map((name) => [partOfCombined(name.slice(type.length + 1)), '1'])
    const row = { type, generation: 0, wanted: '{}', filled: JSON.stringify(Object.fromEntries(parts)) }
    await store.insertOne({ _id: INDEX + type, ...row }, { session })
  }
  await store.deleteOne({ _id: 'combined' }, { session })
  await store.insertOne(FREE, { session })
}

const FREE: StoreDocument = { _id: LEASE, holder: '', until: new Date(0) }

/**
 * A new database is ours as soon as it says so, before it has anything else.
 * @throws StoreUnavailable when it is not new
 */
async function begin(db: Db): Promise<StoreDocument> {
  const { store } = collectionsOf(db)
  const foreign = await foreignCollection(db)
  const found = await store.findOne({ _id: SCHEMA })
  // Another server may have begun meanwhile.
  if (found !== null) return found
  if (foreign !== undefined) {
    throw new StoreUnavailable(
      `The database ${db.databaseName} belongs to another program (it has a collection ${foreign}); ` +
        'name another database in DATABASE_URL, which will be created',
    )
  }
  const schema: StoreDocument = { _id: SCHEMA, version: VERSION, epoch: 1, extraction: 0 }
  for (const { _id, ...fields } of [FREE, schema]) {
    await store.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true })
  }
  return schema
}

async function prepare(db: Db, name: keyof typeof INDEXES): Promise<void> {
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

/** One that a new database does not have. */
async function foreignCollection(db: Db): Promise<string | undefined> {
  const names: readonly (keyof Collections)[] = ['resources', 'history', 'records', 'locks']
  const [found] = await db.listCollections({ name: { $in: [...names] } }, { nameOnly: true }).toArray()
  return found?.name
}
