/** Collections and indexes of a new database, and the version of those of an older one. */
import { type Db, MongoServerError } from 'mongodb'
import { StoreUnavailable } from '../port.ts'
import { type Collections, collectionsOf, INDEXES } from './collections.ts'

/** The version this program writes. */
const VERSION = 1
const NAMESPACE_EXISTS = 48

/**
 * Makes an empty database ours. Several servers may do so at the same time.
 * @throws StoreUnavailable when the database was written by a newer version, or is not a store at all
 */
export async function migrate(db: Db): Promise<void> {
  const { store } = collectionsOf(db)
  const version = (await store.findOne({ _id: 'schema' }))?.version
  if (version === undefined) await refuseForeign(db)
  if (version !== undefined && version > VERSION) {
    throw new StoreUnavailable(
      `This database was written by a newer version of the server (store version ${version}, this server knows ` +
        `${VERSION}); start the newer server, or name another database in DATABASE_URL`,
    )
  }
  await store.updateOne({ _id: 'schema' }, { $max: { version: VERSION } }, { upsert: true })
  for (const name of Object.keys(INDEXES) as (keyof typeof INDEXES)[]) await prepare(db, name)
}

/** Transactions can't make a collection or an index, so all are made before. */
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

async function refuseForeign(db: Db): Promise<void> {
  const names: readonly (keyof Collections)[] = ['resources', 'history', 'records', 'locks']
  const found = await db.listCollections({ name: { $in: [...names] } }, { nameOnly: true }).toArray()
  if (found.length > 0) {
    throw new StoreUnavailable(
      `The database ${db.databaseName} belongs to another program (it has a collection ${found[0]?.name}); ` +
        'name another database in DATABASE_URL, which will be created',
    )
  }
}
