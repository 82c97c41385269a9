/** Databases of a real MongoDB for tests. */
import { MongoClient } from 'mongodb'
import { MongoMemoryServer } from 'mongodb-memory-server-core'
import type { CombinedIndex } from '../../src/search/plan.ts'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { newMongoUrl } from './mongo-url.ts'

export { newMongoUrl }

/** The documents behind a store, as a user of MongoDB sees them. */
export async function withDatabase<T>(
  url: string,
  work: (db: ReturnType<MongoClient['db']>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(url)
  try {
    return await work(client.db())
  } finally {
    await client.close()
  }
}

export interface MongoTestOptions {
  readonly combined: readonly CombinedIndex[]
  readonly fewCandidates?: number
}

/** A store in a database of its own, which goes when the store is closed. */
export async function openTestMongo(
  options: MongoTestOptions,
): Promise<{ readonly url: string; readonly store: ResourceStore; readonly close: () => Promise<void> }> {
  const url = await newMongoUrl()
  const store = await openMongoStore({ url, ...options })
  return {
    url,
    store,
    close: async () => {
      await store.close()
      await withDatabase(url, (db) => db.dropDatabase())
    },
  }
}

/** A mongod that is not a replica set. */
export async function startStandalone(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = await MongoMemoryServer.create({ instance: { storageEngine: 'wiredTiger' } })
  return {
    url: server.getUri('emr'),
    stop: async () => {
      await server.stop()
    },
  }
}
