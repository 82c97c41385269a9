/**
 * Where tests keep their data: SQLite in memory, or with TEST_DATABASE_URL=mongodb the MongoDB of this run, or with
 * TEST_DATABASE_URL=mongodb://… that one.
 */
import { openStore } from '../../src/app.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { closeAtEnd } from './opened-stores.ts'

/** The address of a database that is empty. */
export async function newDatabaseUrl(): Promise<string> {
  const wanted = process.env['TEST_DATABASE_URL'] ?? ''
  if (!wanted.startsWith('mongodb')) return 'sqlite::memory:'
  const { newMongoUrl } = await import('./mongo.ts')
  return await newMongoUrl()
}

/** A store for the rest of the test file. */
export async function openTestStore(): Promise<ResourceStore> {
  return closeAtEnd(await openStore(await newDatabaseUrl()))
}
