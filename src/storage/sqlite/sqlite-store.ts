/**
 * The embedded engine: one SQLite file (https://nodejs.org/docs/latest-v24.x/api/sqlite.html). Each thread reads by its
 * own connection; one thread writes (docs/adr/015-time-isolation.md). A store in memory has one connection for both.
 */

import type { ComponentHealth } from '../../isolation/fair-queue.ts'
import type { ThreadListener } from '../../isolation/thread-host.ts'
import { type Indexing, type IndexingSettings, startIndexing } from '../index/indexing.ts'
import type { ResourceStore } from '../port.ts'
import { Snapshots } from '../snapshots.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { Database, TIMES, type Times } from './connection.ts'
import type { Engine } from './engine.ts'
import { type EngineOptions, engineOf, openBeside, Signals, sentOptions } from './engine.ts'
import { toStoreError } from './faults.ts'
import { GroupCommit, type Writer } from './group-commit.ts'
import { Readers, Reading, served } from './reads.ts'
import { readRecord } from './records.ts'
import { indexingStorage, indexStorage, reindex } from './reindex.ts'
import { ChangeLog, readCurrent, readVersion } from './resources.ts'
import { refuseUnfinishedRestore } from './restored.ts'
import { migrate } from './schema.ts'
import { Shared, Sharing } from './sharing.ts'
import { openSnapshot } from './snapshot.ts'
import { raw } from './sql.ts'
import { WriterClient } from './writer-client.ts'

export interface SqliteOptions extends EngineOptions, IndexingSettings, ThreadListener {
  /** The value of `share`, where another thread of this process has opened the store. */
  readonly shared?: object | undefined
  /** Set by tests only. */
  readonly times?: Partial<Times> | undefined
}

/** @throws StoreUnavailable when the file can't be opened, or was written by a newer version of the server */
export async function openSqliteStore(options: SqliteOptions): Promise<ResourceStore> {
  try {
    if (options.shared !== undefined) return openShared(options, new Shared(options.shared))
    return options.path === ':memory:' ? await openInMemory(options) : await openFile(options)
  } catch (error) {
    const known = toStoreError(error)
    if (!(known instanceof StoreUnavailable)) throw known
    // The message names the file, for the person who starts the server.
    throw new StoreUnavailable(`${options.path}: ${known.message}`, { cause: error })
  }
}

const timesOf = ({ times }: SqliteOptions): Times => ({ ...TIMES, ...times })

async function openInMemory(options: SqliteOptions): Promise<ResourceStore> {
  const engine = await openFirst(options)
  const times = timesOf(options)
  const writer = new GroupCommit(engine, { turns: 2, guards: times.guards })
  return storeOf({ engine, writer, reading: new Reading(engine, times), options })
}

async function openFile(options: SqliteOptions): Promise<ResourceStore> {
  refuseUnfinishedRestore(options.path)
  const engine = await openFirst(options)
  engine.db.configureForReading()
  const sent = () => sentOptions(options, engine)
  const readers = new Readers(sent, options)
  const sharing = new Sharing(sent, engine.signals, options)
  const writer = new WriterClient(sharing.connect)
  const store = storeOf({
    engine,
    writer,
    reading: new Reading(engine, timesOf(options), readers),
    options,
    loads: () => [writer.load, readers.load],
    end: async () => void (await Promise.all([sharing.close(), readers.close()])),
  })
  return { ...store, share: () => sharing.share() }
}

/** Opens a shared store; background work is left to the thread that has opened it first. */
function openShared(options: SqliteOptions, shared: Shared): ResourceStore {
  const engine = openBeside('reader', options, shared.signals)
  const writer = new WriterClient(shared.connect)
  return storeOf({
    engine,
    writer,
    reading: new Reading(engine, timesOf(options)),
    options: { ...options, onlyScanned: true },
    loads: () => [writer.load],
    end: async () => shared.close(),
  })
}

/** The engine that creates the store, or migrates it. */
async function openFirst(options: SqliteOptions): Promise<Engine> {
  const db = new Database(options.path)
  try {
    const engine = engineOf(db, options, new Signals(), options.onlyScanned)
    // Read before anything is set: another program's file stays as it is.
    migrate(db, options.onUpgrade)
    db.configure()
    db.useMap()
    await engine.index.open(indexStorage(engine))
    return engine
  } catch (error) {
    db.close()
    throw error
  }
}

interface StoreParts {
  readonly engine: Engine
  readonly writer: Writer
  readonly reading: Reading
  readonly options: SqliteOptions
  /** The load of its threads. */
  readonly loads?: () => readonly ComponentHealth[]
  /** Ends the store's other parts, besides its connection and its writer. */
  readonly end?: () => Promise<void>
}

function storeOf({ engine, writer, reading, options, loads = () => [], end }: StoreParts): ResourceStore {
  const { db } = engine
  const indexing = startIndexing(engine.index, indexingStorage(engine, writer, options.extraction), options)
  const serve = <T>(work: () => T): T => served(engine, work)
  const changes = new ChangeLog(db)
  const snapshots = new Snapshots(options.times?.snapshot)
  let isClosed = false
  return {
    read: async (clinic, type, id) => serve(() => readCurrent(engine, clinic, type, id)),
    readVersion: async (clinic, type, id, version) => serve(() => readVersion(engine, clinic, type, id, version)),
    write: (changes) =>
      isClosed ? Promise.reject(new StoreUnavailable('The store is closed')) : writer.write(changes),
    search: (plan) => reading.read('search', plan),
    reindex: (batch) => reindex(engine, writer, options.extraction, batch),
    values: (query) => reading.read('values', query),
    findByKeys: (query) => reading.read('keys', query),
    history: (query) => reading.read('history', query),
    readRecord: async (clinic, kind, key) => serve(() => readRecord(db, clinic, kind, key)),
    readRecent: (clinic, kind, key) => serve(() => engine.recent.read({ clinic, kind, key })),
    records: (query) => reading.read('records', query),
    clinics: () => reading.read('clinics', {}),
    scanVersions: (scan) => reading.read('scanVersions', scan),
    scanRecords: (scan) => reading.read('scanRecords', scan),
    snapshot: async () => snapshots.add(serve(() => openSnapshot(engine, options))),
    drop: (clinic, drop) =>
      isClosed ? Promise.reject(new StoreUnavailable('The store is closed')) : writer.drop(clinic, drop),
    noticeChanges: () => serve(() => changes.notice()),
    isEmpty: async () => serve(() => isEmpty(db)),
    load: () => ({ parts: [...loads(), indexing.load] }),
    close: async () => {
      if (isClosed) return
      isClosed = true
      await snapshots.close()
      await close(indexing, writer)
      await end?.()
      db.close()
    },
  }
}

/** Ends the loop first, since it releases its lease through the writer. */
async function close(indexing: Indexing, writer: Writer): Promise<void> {
  await indexing.close()
  await writer.close()
}

const isEmpty = (db: Database): boolean =>
  db.number(raw('SELECT EXISTS (SELECT 1 FROM version WHERE row > 0) OR EXISTS (SELECT 1 FROM record)')) === 0
