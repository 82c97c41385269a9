/**
 * Snapshots: a connection of their own, whose transaction began at that moment. As long as one is open, the log is not
 * copied into the file beyond it, and grows with each write.
 */
import type { StoreSnapshot } from '../port.ts'
import { Database } from './connection.ts'
import { type Engine, type EngineOptions, engineOf, openBeside } from './engine.ts'
import { served } from './reads.ts'
import { scanRecords, scanVersions } from './scan.ts'

/** @throws the error of SQLite, StoreUnavailable */
export function openSnapshot(engine: Engine, options: EngineOptions): StoreSnapshot {
  const own = options.path === ':memory:' ? copied(engine, options) : beside(engine, options)
  return {
    scanVersions: async (scan) => served(own, () => scanVersions(own, scan)),
    scanRecords: async (scan) => served(own, () => scanRecords(own.db, scan)),
    close: async () => own.db.close(),
  }
}

function beside({ signals }: Engine, options: EngineOptions): Engine {
  const own = openBeside('reader', options, signals)
  own.db.beginSnapshot()
  return own
}

/** A store in memory has one connection, which would show what is written: it is copied. */
function copied({ db, signals }: Engine, options: EngineOptions): Engine {
  const own = new Database(options.path)
  own.copyFrom(db)
  return engineOf(own, options, signals, true)
}
