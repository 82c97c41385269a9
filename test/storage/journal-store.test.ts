/** The store of the journal, on each engine. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { MongoClient } from 'mongodb'
import { openJournalStore } from '../../src/main/open-store.ts'
import type { JournalEntry, JournalFilter, JournalStore, Kept } from '../../src/storage/journal-port.ts'
import { SILENT } from '../support/audit.ts'
import { newDatabaseUrl, newLastingDatabaseUrl } from '../support/database.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { until } from '../support/server-process.ts'
import { plansOf } from '../support/sql-plans.ts'

const opened: JournalStore[] = []
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function open(url: string): Promise<JournalStore> {
  const store = await openJournalStore(url, SILENT)
  opened.push(store)
  return store
}

const now = Date.now()
const KEPT: Kept = { days: 7, entries: 1_000 }
const keptBy = (...clinics: readonly string[]) => new Map(clinics.map((clinic) => [clinic, KEPT]))

const entry = (id: string, more: Partial<JournalEntry> = {}): JournalEntry => ({
  clinic: 'one',
  id,
  at: now,
  isGap: false,
  audience: 'staff',
  run: '',
  call: '',
  trace: '',
  status: 200,
  path: '/Patient',
  type: '',
  fault: '',
  method: 'GET',
  direction: 'in',
  user: '',
  operation: '',
  duration: 1,
  words: '',
  summary: `summary of ${id}`,
  detail: `detail of ${id}`,
  ...more,
})

const scanned = async (store: JournalStore, filter: JournalFilter = {}, clinic = 'one') =>
  (await store.scan({ clinic, order: 'oldest first', filter, limit: 100 })).entries

describe('entries of the journal', () => {
  test('are numbered in the order in which they are written, in each clinic from one on', async () => {
    const store = await open(await newDatabaseUrl())
    await store.write([entry('a'), entry('b', { clinic: 'two' }), entry('c')], keptBy('one', 'two'))
    await store.write([entry('d')], keptBy('one'))
    expect(await scanned(store)).toEqual([
      { number: 1, summary: 'summary of a' },
      { number: 2, summary: 'summary of c' },
      { number: 3, summary: 'summary of d' },
    ])
    expect(await scanned(store, {}, 'two')).toEqual([{ number: 1, summary: 'summary of b' }])
    expect(await store.bounds('one')).toEqual({ first: 1, last: 3 })
    expect(await store.bounds('three')).toEqual({ first: 0, last: 0 })
  })

  test('are found for the audiences that are asked for, and gaps for all', async () => {
    const store = await open(await newDatabaseUrl())
    const gap = entry('gap', { isGap: true, detail: '' })
    await store.write([entry('a'), entry('b', { audience: 'admin' }), gap], keptBy('one'))
    const found = async (filter: JournalFilter) => (await scanned(store, filter)).map(({ summary }) => summary.at(-1))
    expect(await found({ audiences: ['staff'] })).toEqual(['a', 'p'])
    expect(await found({ audiences: ['staff', 'admin'], path: '/Patient' })).toEqual(['a', 'b', 'p'])
    expect(await found({})).toEqual(['a', 'b', 'p'])
    expect(await store.read('one', ['b'])).toMatchObject([{ audience: 'admin' }])
  })

  test('are found by their ids in their own clinic only', async () => {
    const store = await open(await newDatabaseUrl())
    await store.write([entry('a'), entry('b'), entry('c')], keptBy('one'))
    const found = async (...ids: readonly string[]) =>
      (await store.read('one', ids)).toSorted((one, other) => one.number - other.number)
    const of = (id: string, number: number) => ({
      ...{ id, number, summary: `summary of ${id}`, detail: `detail of ${id}` },
      audience: 'staff',
    })
    expect(await found('c', 'a', 'd', 'a')).toEqual([of('a', 1), of('c', 3)])
    expect(await found()).toEqual([])
    expect(await store.read('two', ['a'])).toEqual([])
  })

  test('are read in pages in both orders', async () => {
    const store = await open(await newDatabaseUrl())
    await store.write(
      ['a', 'b', 'c', 'd', 'e'].map((id) => entry(id)),
      keptBy('one'),
    )
    const page = { clinic: 'one', filter: {}, limit: 2 } as const
    const first = await store.scan({ ...page, order: 'newest first' })
    expect([first.entries.map(({ number }) => number), first.next]).toEqual([[5, 4], 4])
    const second = await store.scan({ ...page, order: 'newest first', after: 4 })
    expect(second.entries.map(({ number }) => number)).toEqual([3, 2])
    const last = await store.scan({ ...page, order: 'newest first', after: 2 })
    expect([last.entries.map(({ number }) => number), last.next]).toEqual([[1], undefined])
    const rest = await store.scan({ ...page, order: 'oldest first', after: 3 })
    expect(rest.entries.map(({ number }) => number)).toEqual([4, 5])
  })

  test.each<readonly [string, JournalFilter, readonly string[]]>([
    ['run', { run: 'r' }, ['a', 'gap']],
    ['call', { call: 'c' }, ['b', 'gap']],
    ['status', { status: { from: 400, to: 499 } }, ['c', 'gap']],
    ['beginning of the path', { path: '/Task' }, ['d', 'gap']],
    ['type', { type: 'Slot' }, ['e', 'gap']],
    ['fault', { fault: 'slow' }, ['g', 'gap']],
    ['whole fault', { fault: 'slot' }, ['gap']],
    ['time', { since: now + 5 }, ['f', 'gap']],
    ['end', { until: now + 5, method: 'PUT' }, ['h', 'gap']],
    ['method', { method: 'PUT' }, ['h', 'gap']],
    ['direction', { direction: 'out' }, ['i', 'gap']],
    ['user', { user: 'ann' }, ['j', 'gap']],
    ['operation', { operation: '$match' }, ['k', 'gap']],
    ['words', { text: 'not a date' }, ['l', 'gap']],
    ['words that an expression could mean', { text: 'not.a' }, ['gap']],
    ['run that they are not of', { notRun: '', run: 'r' }, ['a', 'gap']],
    ['run that is not theirs', { notRun: 'r', call: 'c' }, ['b', 'gap']],
    ['trace', { trace: 't' }, ['m', 'gap']],
    ['several at once', { run: 'r', type: 'Slot' }, ['gap']],
  ])('are found by their %s, and gaps by every filter', async (_what, filter, expected) => {
    const store = await open(await newDatabaseUrl())
    const entries = [
      entry('a', { run: 'r' }),
      entry('b', { call: 'c' }),
      entry('c', { status: 404 }),
      entry('d', { path: '/Task/1' }),
      entry('e', { type: 'Slot' }),
      entry('f', { at: now + 10 }),
      entry('g', { fault: 'slot-gone,slow' }),
      entry('h', { method: 'PUT' }),
      entry('i', { direction: 'out' }),
      entry('j', { user: 'ann' }),
      entry('k', { operation: 'create,$match' }),
      entry('l', { words: 'yesterday is not a date' }),
      entry('m', { trace: 't' }),
      entry('gap', { isGap: true, status: 0, path: '', detail: '' }),
    ]
    await store.write(entries, keptBy('one'))
    expect((await scanned(store, filter)).map(({ summary }) => summary)).toEqual(
      expected.map((id) => `summary of ${id}`),
    )
  })

  test('are measured in both orders, without gaps, page by page', async () => {
    const store = await open(await newDatabaseUrl())
    const measured = { status: 404, duration: 2.5, method: 'GET', user: 'ann', operation: 'read' }
    await store.write([entry('a', measured), entry('gap', { isGap: true }), entry('b')], keptBy('one'))
    const scan = { clinic: 'one', order: 'newest first', filter: {} } as const
    const first = await store.measure({ ...scan, limit: 1 })
    expect(first.measures.map(({ number }) => number)).toEqual([3])
    const rest = await store.measure({ ...scan, after: first.next ?? 0, limit: 10 })
    expect(rest.measures).toEqual([{ number: 1, at: now, ...measured }])
    expect(rest.next).toBeUndefined()
    expect((await store.measure({ ...scan, filter: { user: 'bob' }, limit: 10 })).measures).toEqual([])
  })

  test('beyond the number that is kept are removed, the oldest first, and the others keep their numbers', async () => {
    const store = await open(await newDatabaseUrl())
    const keep = new Map([['one', { days: 7, entries: 3 }]])
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store.write([entry(id)], keep)
    expect((await scanned(store)).map(({ number }) => number)).toEqual([3, 4, 5])
    expect(await store.read('one', ['a'])).toEqual([])
    expect(await store.bounds('one')).toEqual({ first: 3, last: 5 })
  })

  test('of several stores of one database are numbered together, and none is passed over', async () => {
    const url = await newLastingDatabaseUrl()
    const stores = [await open(url), await open(url), await open(url)]
    const [reader] = stores
    if (reader === undefined) throw new Error('There is no store')
    const seen: number[] = []
    let isWriting = true
    const reading = (async () => {
      let after = 0
      while (isWriting || (await reader.bounds('one')).last > after) {
        const page = await reader.scan({ clinic: 'one', order: 'oldest first', after, filter: {}, limit: 7 })
        for (const { number } of page.entries) seen.push(number)
        after = page.entries.at(-1)?.number ?? after
        await sleep(1)
      }
    })()
    await Promise.all(
      stores.map(async (store, n) => {
        for (let round = 0; round < 20; round += 1) {
          await store.write([entry(`${n}-${round}-a`), entry(`${n}-${round}-b`)], keptBy('one'))
        }
      }),
    )
    isWriting = false
    await reading
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
  })
})

describeOnMongo('the collection of the journal', () => {
  test('has an index by which entries expire, and takes a write that is repeated once', async () => {
    const url = await newLastingDatabaseUrl()
    const store = await open(url)
    await store.write([entry('a')], keptBy('one'))
    await store.write([entry('a'), entry('b')], keptBy('one'))
    expect((await scanned(store)).map(({ summary }) => summary)).toEqual(['summary of a', 'summary of b'])
    const client = new MongoClient(url)
    try {
      const indexes = await client.db().collection('journal').indexes()
      expect(indexes.find(({ name }) => name === 'by_expiry')?.expireAfterSeconds).toBe(0)
      const found = await client.db().collection('journal').findOne({ id: 'a' })
      expect(found?.expires).toEqual(new Date(now + 7 * 86_400_000))
    } finally {
      await client.close()
    }
  })
})

describeOnSqlite('the file of the journal', () => {
  test('is not gone through for the exchanges with given ids', async () => {
    const store = await open(await newDatabaseUrl())
    await store.write([entry('a'), entry('b')], keptBy('one'))
    const plans = await plansOf(async () => {
      expect((await store.read('one', ['b', 'none'])).map(({ id }) => id)).toEqual(['b'])
    })
    expect(plans).toContainEqual(expect.stringContaining('(clinic=? AND id=?)'))
  })

  test('loses entries that are older than they are kept, also of clinics in which nothing happens', async () => {
    const url = await newLastingDatabaseUrl()
    const store = await open(url)
    await store.write([entry('old', { at: now - 8 * 86_400_000 }), entry('young')], keptBy('one'))
    await until(async () => (await scanned(store)).length === 1)
    expect((await scanned(store)).map(({ summary }) => summary)).toEqual(['summary of young'])
  })

  test('that cannot be read is set aside, said so, and a new one begins', async () => {
    const url = await newLastingDatabaseUrl()
    const path = url.slice('sqlite:'.length).replace(/\.db$/, '.journal.db')
    writeFileSync(path, 'this is no database, '.repeat(1_000))
    const said: string[] = []
    const store = await openJournalStore(url, { ...SILENT, warn: (text: string) => void said.push(text) } as never)
    opened.push(store)
    expect(await scanned(store)).toEqual([])
    await store.write([entry('a')], keptBy('one'))
    expect(said).toEqual([expect.stringContaining('the journal could not be read; it was set aside as')])
    await until(async () => (await scanned(store)).length === 1)
    const aside = readdirSync(dirname(path)).find((name) => name.includes('.unreadable-')) ?? ''
    expect(readFileSync(join(dirname(path), aside), 'utf8')).toContain('this is no database')
  })
})
