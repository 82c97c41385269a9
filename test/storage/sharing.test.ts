/** Several stores on one database, on each engine; and the cache of records. */
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
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
    expect(await readsDuring(url, read)).toBeLessThan(100)
    await clinic.store.close()
  })
})
