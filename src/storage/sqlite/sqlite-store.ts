/** The embedded engine: one SQLite file (https://nodejs.org/docs/latest-v24.x/api/sqlite.html), one connection. */
import { type IndexingSettings, startIndexing } from '../index/indexing.ts'
import { SearchIndex } from '../index/search-index.ts'
import { type ResourceStore, StoreUnavailable } from '../port.ts'
import { Database } from './connection.ts'
import type { Engine } from './engine.ts'
import { toStoreError } from './faults.ts'
import { GroupCommit } from './group-commit.ts'
import { history } from './history.ts'
import { InternedNames } from './interned-names.ts'
import { RecentRecords } from './recent-records.ts'
import { findRecords, readRecord } from './records.ts'
import { indexingStorage, reindex } from './reindex.ts'
import { readCurrent, readVersion } from './resources.ts'
import { clinics, scanRecords, scanVersions } from './scan.ts'
import { migrate } from './schema.ts'
import { search } from './search.ts'
import { raw } from './sql.ts'
import { values } from './values.ts'

export interface SqliteOptions extends IndexingSettings {
  /** A file, created when it is missing, or ':memory:'. */
  readonly path: string
  /** See Engine; 4096 unless a test wants scans on few resources. */
  readonly fewCandidates?: number
  /** Kinds of records that are read with every request and seldom change. */
  readonly recentKinds?: readonly string[]
}

/** @throws StoreUnavailable when the file can't be opened, or was written by a newer version of the server */
export async function openSqliteStore(options: SqliteOptions): Promise<ResourceStore> {
  const engine = await opened(options)
  const { db } = engine
  const indexing = startIndexing(engine.index, indexingStorage(engine, options.extraction), options)
  const serve = served(engine)
  const commits = new GroupCommit(engine)
  let closed = false
  return {
    read: async (clinic, type, id) => serve(() => readCurrent(engine, clinic, type, id)),
    readVersion: async (clinic, type, id, version) => serve(() => readVersion(engine, clinic, type, id, version)),
    write: (changes) => commits.write(changes),
    // Index versions need no check: entries of an older version were refused when they were written.
    search: async (plan) => serve(() => search(engine, plan)),
    reindex: (batch) => reindex(engine, options.extraction, batch),
    values: async (query) => serve(() => values(engine, query)),
    history: async (query) => serve(() => history(engine, query)),
    readRecord: async (clinic, kind, key) => serve(() => readRecord(db, clinic, kind, key)),
    readRecent: async (clinic, kind, key) => serve(() => engine.recent.read(clinic, kind, key)),
    records: async (query) => serve(() => findRecords(db, query)),
    clinics: async () => serve(() => clinics(engine)),
    scanVersions: async (scan) => serve(() => scanVersions(engine, scan)),
    scanRecords: async (scan) => serve(() => scanRecords(db, scan)),
    isEmpty: async () => serve(() => isEmpty(db)),
    close: async () => {
      if (closed) return
      closed = true
      await Promise.all([indexing.close(), commits.close()])
      db.close()
    },
  }
}

/** The message names the file, for the person who starts the server. */
async function opened(options: SqliteOptions): Promise<Engine> {
  try {
    return await open(options)
  } catch (error) {
    const known = toStoreError(error)
    if (!(known instanceof StoreUnavailable)) throw known
    throw new StoreUnavailable(`${options.path}: ${known.message}`, { cause: error })
  }
}

async function open(options: SqliteOptions): Promise<Engine> {
  const { path, combined, extraction, onlyScanned, covered = {}, fewCandidates = 4096, recentKinds = [] } = options
  const db = new Database(path)
  try {
    const index = new SearchIndex({ combined, extraction, onlyScanned, form: FORM })
    const recent = new RecentRecords(db, recentKinds)
    const engine: Engine = { db, names: new InternedNames(db), recent, combined, covered, index, fewCandidates }
    // Read before anything is set: another program's file stays as it is.
    migrate(db)
    db.configure()
    await index.open(indexingStorage(engine, extraction))
    return engine
  } catch (error) {
    db.close()
    throw error
  }
}

/** Version of the form of index rows: see SearchIndexOptions. */
const FORM = '2'

const isEmpty = (db: Database): boolean =>
  db.number(raw('SELECT EXISTS (SELECT 1 FROM version) OR EXISTS (SELECT 1 FROM record)')) === 0

/** Runs `work` and turns its faults into errors of the port. */
const served =
  ({ index }: Engine) =>
  <T>(work: () => T): T => {
    try {
      index.checkVersion()
      return work()
    } catch (error) {
      throw toStoreError(error)
    }
  }
