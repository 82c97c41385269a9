/** Where a suite keeps its data: on the engine that the test file runs on (engine.ts). */
import { join } from 'node:path'
import { openContentStore, openStore } from '../../src/main/open-store.ts'
import type { ContentStore } from '../../src/storage/content-port.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { testEngine } from './engine.ts'
import { newMongoUrl } from './mongo-url.ts'
import { closeLater } from './opened-stores.ts'
import { newFolder } from './run.ts'

/** The address of a database that is empty, for one server in this process. */
export async function newDatabaseUrl(): Promise<string> {
  return testEngine() === 'sqlite' ? 'sqlite::memory:' : await newMongoUrl()
}

/** The address of an empty database that outlives its connections; several servers and processes may open it. */
export async function newLastingDatabaseUrl(): Promise<string> {
  return testEngine() === 'sqlite' ? `sqlite:${join(newFolder(), 'emr.db')}` : await newMongoUrl()
}

/** A store for the test, or, opened before the tests, for all of them. */
export async function openTestStore(): Promise<ResourceStore> {
  return closeLater(await openStore(await newDatabaseUrl()))
}

/** A store of contents that is empty, for the test. */
export async function openTestContentStore(): Promise<ContentStore> {
  return closeLater(await openContentStore(await newDatabaseUrl()))
}
