/**
 * Where a suite keeps its data: on the engine that the run is at. Whoever imports this runs on every engine, once for
 * each (see suites.ts).
 */
import { join } from 'node:path'
import { openStore } from '../../src/app.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { newMongoUrl } from './mongo-url.ts'
import { closeAtEnd } from './opened-stores.ts'
import { newFolder } from './run.ts'

/** Set by jest.config.js. */
declare const TEST_ENGINE: 'sqlite' | 'mongodb' | undefined

/** The address of a database that is empty, for one server in this process. */
export async function newDatabaseUrl(): Promise<string> {
  return engine() === 'sqlite' ? 'sqlite::memory:' : await newMongoUrl()
}

/** The address of a database that is empty, and outlives who opens it; several servers and processes may. */
export async function newLastingDatabaseUrl(): Promise<string> {
  return engine() === 'sqlite' ? `sqlite:${join(newFolder(), 'emr.db')}` : await newMongoUrl()
}

/** A store for the rest of the test file. */
export async function openTestStore(): Promise<ResourceStore> {
  return closeAtEnd(await openStore(await newDatabaseUrl()))
}

function engine(): 'sqlite' | 'mongodb' {
  if (typeof TEST_ENGINE !== 'undefined' && TEST_ENGINE !== undefined) return TEST_ENGINE
  throw new Error(
    'This suite runs once, on no engine, yet asks for a database: suites in test/storage open the engine they are ' +
      'about, any other imports test/support/database.ts (or what leads to it) with a plain import',
  )
}
