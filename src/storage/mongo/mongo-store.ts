/**
 * The engine for several machines: MongoDB through its official driver (https://www.mongodb.com/docs/drivers/node/).
 */
import { availableParallelism } from 'node:os'
import { currentBudget } from '../../isolation/budget.ts'
import { describeRead } from '../describe-search.ts'
import { type IndexingSettings, startIndexing } from '../index/indexing.ts'
import { SearchIndex } from '../index/search-index.ts'
import type { ResourceStore } from '../port.ts'
import { RecentRecords, type RecordAddress } from '../recent.ts'
import { Snapshots } from '../snapshots.ts'
import { findByKeys } from './by-keys.ts'
import { collectionsOf } from './collections.ts'
import { connect } from './connection.ts'
import type { Engine } from './engine.ts'
import { toStoreError } from './faults.ts'
import { GroupCommit } from './group-commit.ts'
import { history } from './history.ts'
import { Outages, type Serve, type Wait } from './outages.ts'
import { FairReads, withinLimits } from './read-limits.ts'
import { findRecords, readRecord } from './records.ts'
import { indexingStorage, reindex } from './reindex.ts'
import { readCurrent, readVersion } from './resources.ts'
import { clinics, scanRecords, scanVersions } from './scan.ts'
import { migrate } from './schema.ts'
import { search } from './search.ts'
import { openSnapshot } from './snapshot.ts'
import { inSnapshot } from './transaction.ts'
import { values } from './values.ts'

export interface MongoOptions extends IndexingSettings {
  /** mongodb://… or mongodb+srv://… of a replica set or a sharded cluster; the database is its path, or `emr`. */
  readonly url: string
  /** See Engine; 1024, unless a test with few resources searches as if there were many. */
  readonly fewCandidates?: number
  /** See Engine; 100,000, unless a test has few resources. */
  readonly maxListed?: number
  /** Kinds of records that `readRecent` may cache; none, unless given. */
  readonly recentKinds?: readonly string[]
  /** The value of `share`, where another thread of this process has opened the store. */
  readonly shared?: object | undefined
  /** Milliseconds, set by tests only: see SNAPSHOT_LASTS. */
  readonly snapshotMs?: number
  /** Most connections; 64, unless the address sets it. */
  readonly maxPoolSize?: number
}

/** SharedStore.value of this engine: writes of one thread show at once in all. */
interface SharedValue {
  /** One number: see RecentRecords. */
  readonly changes: SharedArrayBuffer
}

/** Connections of a thread that serves one request at a time. */
const POOL_OF_THREAD = 8

/**
 * Most searches and other long reads at once, in all and of one clinic: one for each processor, and one that waits for
 * the network; eight at most. With more, the replies for one clinic arrive together, and the reads of others wait while
 * they are all processed; on two processors, a clinic with eight reads under way gets no more results a second than
 * with three.
 */
const READS = { slots: 32, slotsPerClinic: Math.min(8, availableParallelism() + 1) }

/** @throws StoreUnavailable when the database cannot be reached or used, or was written by a newer server */
export async function openMongoStore(options: MongoOptions): Promise<ResourceStore> {
  const { shared, recentKinds = [] } = options
  const engine = await open(shared === undefined ? options : { maxPoolSize: POOL_OF_THREAD, ...options })
  const outages = new Outages()
  outages.watch(engine.client)
  const commits = new GroupCommit(engine)
  const value = (shared as SharedValue | undefined) ?? { changes: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }
  // Background work is left to the thread that has opened the store first.
  const background = shared === undefined ? options : { ...options, onlyScanned: true }
  const indexing = startIndexing(engine.index, indexingStorage(engine, options.extraction), background)
  const serve = serving(engine, outages)
  const readOne = (address: RecordAddress) => serve(() => readRecord(engine, address))
  const recent = new RecentRecords(readOne, recentKinds, new Int32Array(value.changes))
  const reads = new FairReads(READS)
  const read = <Kind extends keyof typeof describeRead, T>(
    kind: Kind,
    query: Parameters<(typeof describeRead)[Kind]>[0],
    work: () => Promise<T>,
  ): Promise<T> => {
    const describe = describeRead[kind] as (asked: typeof query) => string
    const what = () => describe(query)
    // Background work takes no slot from the users of a clinic.
    const isOfUser = currentBudget() !== undefined
    return serve(() => (isOfUser ? reads.read(query.clinic, what, work) : withinLimits(what, work)))
  }
  const snapshots = new Snapshots(options.snapshotMs)
  let closed = false
  return {
    read: (clinic, type, id) => serve(() => readCurrent(engine, clinic, type, id)),
    readVersion: (clinic, type, id, version) => serve(() => readVersion(engine, clinic, type, id, version)),
    write: (changes) => serve(() => commits.write(changes).finally(() => recent.wrote(changes.records)), WRITE),
    search: (plan, indexVersions) => read('search', plan, () => search(engine, plan, indexVersions)),
    reindex: (batch) => serve(() => reindex(engine, options.extraction, batch)),
    values: (query) => read('values', query, () => values(engine, query)),
    findByKeys: (query) => read('keys', query, () => findByKeys(engine, query)),
    history: (query) => read('history', query, () => history(engine, query)),
    readRecord: (clinic, kind, key) => readOne({ clinic, kind, key }),
    readRecent: (clinic, kind, key) => {
      engine.index.checkVersion()
      return recent.read({ clinic, kind, key })
    },
    records: (query) => serve(() => findRecords(engine, query)),
    clinics: () => serve(() => clinics(engine)),
    scanVersions: (scan) => serve(() => inSnapshot(engine, (reader) => scanVersions(reader, scan))),
    scanRecords: (scan) => serve(() => inSnapshot(engine, (reader) => scanRecords(reader, scan))),
    snapshot: async () => snapshots.add(await serve(() => openSnapshot(engine, serve))),
    drop: (clinic, drop) => serve(() => commits.drop(clinic, drop).finally(() => recent.forget()), WRITE),
    isEmpty: () => serve(() => isEmpty(engine)),
    load: () => ({ parts: [commits.load, reads.load, indexing.load] }),
    share: () => ({ value, transferList: [] }),
    close: async () => {
      if (closed) return
      closed = true
      await Promise.all([indexing.close(), commits.close(), snapshots.close()])
      await engine.client.close()
    },
  }
}

async function open(options: MongoOptions): Promise<Engine> {
  const { url, combined, extraction, onlyScanned, fewCandidates = 1024, maxListed = 100_000, maxPoolSize } = options
  const { onUpgrade } = options
  const { client, db } = await connect(url, maxPoolSize)
  try {
    await migrate(client, db, onUpgrade)
    const index = new SearchIndex({ combined, extraction, onlyScanned, form: FORM, onUpgrade })
    const engine: Engine = {
      ...collectionsOf(db),
      client,
      combined,
      index,
      fewCandidates,
      maxListed,
    }
    await index.open(indexingStorage(engine, extraction))
    return engine
  } catch (error) {
    await client.close()
    throw toStoreError(error)
  }
}

/** Version of the form of index items; in version 1 they had no generation. */
const FORM = '2'

async function isEmpty({ resources, records }: Engine): Promise<boolean> {
  // With the hint, the query reads one key of the index, and no document.
  const any = { projection: { _id: 1 }, hint: '_id_' }
  return (await resources.findOne({}, any)) === null && (await records.findOne({}, any)) === null
}

const READ: Wait = { mayBeWritten: false }
const WRITE: Wait = { mayBeWritten: true }

/** Runs `work`, and turns errors of the driver into those of the port, so the other modules let them through. */
const serving =
  ({ index }: Engine, outages: Outages): Serve =>
  async <T>(work: () => Promise<T>, wait: Wait = READ): Promise<T> => {
    try {
      index.checkVersion()
      return await outages.within(work, wait)
    } catch (error) {
      throw toStoreError(error)
    }
  }
