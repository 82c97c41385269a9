/** Several stores on one database, on each engine; and the memory that the MongoDB engine keeps of records. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import { RECENT, type ResourceStore } from '../../src/storage/port.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { withDatabase } from '../support/mongo.ts'
import { newMongoUrl } from '../support/mongo-url.ts'
import { newFolder } from '../support/run.ts'
import { describeSharing, REMEMBERED } from './contract/sharing.ts'
import { Clinic, COMBINED } from './fixtures.ts'

/** @param owner of the stores, to be closed after them */
async function two(open: () => Promise<ResourceStore>, owner?: ResourceStore) {
  const stores = [await open(), await open()] as const
  return {
    stores,
    close: async () => {
      for (const store of stores) await store.close()
      await owner?.close()
    },
  }
}

const openMongo = (url: string) => openMongoStore({ url, combined: COMBINED, recentKinds: [REMEMBERED] })

describeOnSqlite('on SQLite', () => {
  describeSharing('a SQLite file', () => {
    const path = join(newFolder(), 'emr.db')
    return two(() => openSqliteStore({ path, combined: COMBINED, recentKinds: [REMEMBERED] }))
  })

  describeSharing('a SQLite file, in two threads of a process', async () => {
    const options = { path: join(newFolder(), 'emr.db'), combined: COMBINED, recentKinds: [REMEMBERED] }
    const first = await openSqliteStore(options)
    return await two(async () => await openSqliteStore({ ...options, shared: first.share?.()?.value }), first)
  })
})

describeOnMongo('on MongoDB', () => {
  describeSharing('MongoDB', async () => {
    const url = await newMongoUrl()
    return await two(() => openMongo(url))
  })

  describeSharing('MongoDB, without a memory', async () => {
    const url = await newMongoUrl()
    return await two(() => openMongoStore({ url, combined: COMBINED }))
  })

  /** How many times the records of the database were read while `work` ran, by the server's own account. */
  const readsDuring = (url: string, work: () => Promise<void>): Promise<number> =>
    withDatabase(url, async (db) => {
      await db.command({ profile: 2 })
      await work()
      await db.command({ profile: 0 })
      const reads = await db
        .collection('system.profile')
        .countDocuments({ op: 'query', ns: `${db.databaseName}.records` })
      await db.dropCollection('system.profile')
      return reads
    })

  test('a thousand reads of what seldom changes ask the server a few times', async () => {
    const url = await newMongoUrl()
    const clinic = new Clinic(await openMongo(url), 'c')
    await clinic.record(REMEMBERED, 'x', 1)
    const read = async () => {
      for (let time = 0; time < 500; time += 1) {
        expect((await clinic.store.readRecent('c', REMEMBERED, 'x'))?.value).toBe(1)
        expect(await clinic.store.readRecent('c', REMEMBERED, 'absent')).toBeUndefined()
      }
    }
    // The stream begins a little later than the store.
    let reads = 1_000
    for (let time = 0; time < 20 && reads > 100; time += 1) reads = await readsDuring(url, read)
    expect(reads).toBeLessThan(100)
    await clinic.store.close()
  })

  test('changes are seen again after the stream of changes was lost', async () => {
    const url = await newMongoUrl()
    const { stores, close } = await two(() => openMongo(url))
    const [one, other] = stores.map((store) => new Clinic(store, 'c')) as [Clinic, Clinic]
    const recent = async () => (await one.store.readRecent('c', REMEMBERED, 'x'))?.value
    for (let round = 0; round < 3; round += 1) {
      await other.record(REMEMBERED, 'x', round)
      await sleep(RECENT)
      expect(await recent()).toBe(round)
      // Ends every stream on it, and nothing can resume them.
      await withDatabase(url, (db) => db.dropCollection('records'))
      await sleep(RECENT)
      expect(await recent()).toBeUndefined()
    }
    await close()
  })

  test('a store that is closed leaves no stream behind, and no wait', async () => {
    const url = await newMongoUrl()
    for (let time = 0; time < 5; time += 1) await (await openMongo(url)).close()
    const store = await openMongo(url)
    await sleep(RECENT)
    await store.close()
    const streams = () =>
      withDatabase(url, async (db) => {
        const ns = `${db.databaseName}.records`
        const pipeline = [{ $currentOp: { idleCursors: true } }, { $match: { ns } }]
        const { cursor } = await db.admin().command({ aggregate: 1, pipeline, cursor: {} })
        return cursor.firstBatch
      })
    // A look for news that is under way on the server ends a little later.
    for (let time = 0; time < 20 && (await streams()).length > 0; time += 1) await sleep(RECENT / 10)
    expect(await streams()).toEqual([])
  })
})
