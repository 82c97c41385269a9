/** The engine for more than one machine: MongoDB through its official driver (https://www.mongodb.com/docs/drivers/node/). */
import type { CombinedIndex } from '../../search/plan.ts'
import type { ResourceStore } from '../port.ts'
import { collectionsOf } from './collections.ts'
import { reconcileCombined } from './combined.ts'
import { Commits } from './commits.ts'
import { connect } from './connection.ts'
import type { Engine } from './engine.ts'
import { toStoreError } from './faults.ts'
import { Habits } from './habits.ts'
import { history } from './history.ts'
import { PointReads } from './point-reads.ts'
import { findRecords } from './records.ts'
import { readVersion } from './resources.ts'
import { clinics, scanRecords, scanVersions } from './scan.ts'
import { migrate } from './schema.ts'
import { search } from './search.ts'

export interface MongoOptions {
  /** mongodb://… or mongodb+srv://… of a replica set or a sharded cluster; the database is its path, or `emr`. */
  readonly url: string
  /** Declared by the providers; a database with data is brought in line with them. */
  readonly combined: readonly CombinedIndex[]
  /** See Engine; 1024 unless a test wants the other way of searching on few resources. */
  readonly fewCandidates?: number
}

/** @throws StoreUnavailable when the database can't be reached or used, or was written by a newer version of the server */
export async function openMongoStore(options: MongoOptions): Promise<ResourceStore> {
  const engine = await open(options)
  const commits = new Commits(engine)
  const reads = new PointReads(engine)
  let closed = false
  return {
    read: (clinic, type, id) => serve(reads.resource(clinic, type, id)),
    readVersion: (clinic, type, id, version) => serve(readVersion(engine, clinic, type, id, version)),
    write: (changes) => commits.write(changes),
    search: (plan) => serve(search(engine, plan)),
    history: (query) => serve(history(engine, query)),
    readRecord: (clinic, kind, key) => serve(reads.record(clinic, kind, key)),
    records: (query) => serve(findRecords(engine, query)),
    clinics: () => serve(clinics(engine)),
    scanVersions: (scan) => serve(scanVersions(engine, scan)),
    scanRecords: (scan) => serve(scanRecords(engine, scan)),
    isEmpty: () => serve(isEmpty(engine)),
    close: async () => {
      if (closed) return
      closed = true
      await commits.close()
      await engine.client.close()
    },
  }
}

async function open({ url, combined, fewCandidates = 1024 }: MongoOptions): Promise<Engine> {
  const { client, db } = await connect(url)
  try {
    const collections = collectionsOf(db)
    await migrate(db)
    await reconcileCombined(collections, combined)
    return { ...collections, client, combined, fewCandidates, habits: new Habits() }
  } catch (error) {
    await client.close()
    throw toStoreError(error)
  }
}

async function isEmpty({ resources, records }: Engine): Promise<boolean> {
  const any = { projection: { _id: 1 } }
  return (await resources.findOne({}, any)) === null && (await records.findOne({}, any)) === null
}

/** Reports the faults of `work` in the port's words. */
async function serve<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toStoreError(error)
  }
}
