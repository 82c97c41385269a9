/** The store of the audit trail, on each engine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { openAuditStore } from '../../src/main/open-store.ts'
import { type AuditBlock, type AuditStore, keyAt, MILLISECONDS_PER_DAY } from '../../src/storage/audit-port.ts'
import { SILENT } from '../support/audit.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { until } from '../support/server-process.ts'

const opened: AuditStore[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function open(url: string, days = 90): Promise<AuditStore> {
  const store = await openAuditStore(url, { days }, SILENT)
  opened.push(store)
  return store
}

const block = (first: number, patients: readonly string[] = [], clinic = 'one'): AuditBlock => ({
  clinic,
  key: `${keyAt(first)}x`,
  first,
  patients,
  events: `events of ${first}`,
})

const ALL = { clinic: 'one', order: 'oldest first', from: 0, to: Number.MAX_SAFE_INTEGER, limit: 100 } as const
const now = Date.now()

describe('blocks of the audit trail', () => {
  test('are found in either order, within a time, page by page, by another store of the same database too', async () => {
    const url = await newLastingDatabaseUrl()
    const [store, other] = [await open(url), await open(url)]
    expect(await other.scan(ALL)).toEqual({ blocks: [] })
    const blocks = [0, 1, 2, 3, 4].map((n) => block(now + n))
    await store.write(blocks)
    const stored = blocks.map(({ key, first, events }) => ({ key, first, events }))
    expect(await other.scan(ALL)).toEqual({ blocks: stored })
    const within = { ...ALL, from: now + 1, to: now + 3 }
    expect((await other.scan(within)).blocks).toEqual(stored.slice(1, 4))
    const newest = { ...within, order: 'newest first', limit: 2 } as const
    const page = await other.scan(newest)
    expect(page).toEqual({ blocks: [stored[3], stored[2]], next: stored[2]?.key })
    expect(await other.scan({ ...newest, after: page.next ?? '' })).toEqual({ blocks: [stored[1]] })
    const oldest = await other.scan({ ...within, limit: 2 })
    expect(oldest).toEqual({ blocks: [stored[1], stored[2]], next: stored[2]?.key })
    expect(await other.scan({ ...within, limit: 2, after: oldest.next ?? '' })).toEqual({ blocks: [stored[3]] })
    expect(await other.read('one', stored[0]?.key ?? '')).toEqual(stored[0])
    expect(await other.read('two', stored[0]?.key ?? '')).toBeUndefined()
  })

  test('are found by the patients that they name, whole ids only, and in their own clinic only', async () => {
    const store = await open(await newLastingDatabaseUrl())
    await store.write([
      block(now, ['p1', 'p12']),
      block(now + 1, ['p12', 'p3']),
      block(now + 2),
      block(now, ['p3'], 'two'),
    ])
    const times = async (patient: string) =>
      (await store.scan({ ...ALL, patient })).blocks.map(({ first }) => first - now)
    expect(await times('p1')).toEqual([0])
    expect(await times('p12')).toEqual([0, 1])
    expect(await times('p3')).toEqual([1])
    expect(await times('p')).toEqual([])
  })

  test('that are written again, as nobody knew whether they had been, are there once', async () => {
    const store = await open(await newLastingDatabaseUrl())
    await store.write([block(now)])
    await store.write([block(now), block(now + 1)])
    expect((await store.scan(ALL)).blocks).toHaveLength(2)
  })
})

describeOnSqlite('the file of the audit trail', () => {
  test('loses blocks that are older than they are kept, when it is opened for writing', async () => {
    const url = await newLastingDatabaseUrl()
    const store = await open(url, 400)
    const old = Array.from({ length: 250 }, (_, n) => block(now - 31 * MILLISECONDS_PER_DAY - n))
    await store.write([...old, block(now - 29 * MILLISECONDS_PER_DAY)])
    await sleep(50)
    expect((await store.scan({ ...ALL, limit: 1_000 })).blocks).toHaveLength(251)
    const shorter = await open(url, 30)
    await shorter.write([block(now)])
    await until(async () => (await store.scan({ ...ALL, limit: 1_000 })).blocks.length === 2)
  })
})

describeOnMongo('the collection of the audit trail', () => {
  test('has an index by which blocks expire, and which follows the number of days', async () => {
    const url = await newLastingDatabaseUrl()
    const client = new MongoClient(url)
    try {
      for (const days of [90, 30]) {
        const store = await open(url, days)
        await store.write([block(now + days)])
        const indexes = await client.db().collection('audit').indexes()
        expect(indexes.find(({ name }) => name === 'by_time')?.expireAfterSeconds).toBe(days * 86_400)
      }
    } finally {
      await client.close()
    }
  })
})
