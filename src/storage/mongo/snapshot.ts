/** Snapshots that outlive a request: a session whose reads are all of the moment of its first one. */
import type { StoreSnapshot } from '../port.ts'
import { SnapshotEnded } from '../store-errors.ts'
import { SCHEMA } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { isSnapshotTooOld } from './faults.ts'
import type { Serve } from './outages.ts'
import { scanRecords, scanVersions } from './scan.ts'
import { readOptions } from './transaction.ts'

export async function openSnapshot(engine: Engine, serve: Serve): Promise<StoreSnapshot> {
  const session = engine.client.startSession({ snapshot: true })
  const reader: Reader = { ...engine, session }
  try {
    await reader.store.findOne({ _id: SCHEMA }, { projection: { _id: 1 }, ...readOptions(reader) })
  } catch (error) {
    await session.endSession()
    throw error
  }
  return {
    scanVersions: (scan) => serve(() => unlessEnded(() => scanVersions(reader, scan))),
    scanRecords: (scan) => serve(() => unlessEnded(() => scanRecords(reader, scan))),
    close: () => session.endSession(),
  }
}

/**
 * @throws SnapshotEnded when the database no longer has the state of that moment: by default, it keeps five minutes
 * https://www.mongodb.com/docs/manual/reference/parameters/#mongodb-parameter-param.minSnapshotHistoryWindowInSeconds
 */
async function unlessEnded<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw isSnapshotTooOld(error) ? new SnapshotEnded() : error
  }
}
