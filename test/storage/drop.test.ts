/** A drop leaves no trace in the database, and none of its numbers is given again. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from '@jest/globals'
import type { IndexEntry } from '../../src/search/plan.ts'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { ROWS_OF_BLOCK } from '../../src/storage/sqlite/block-counts.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { newMongoUrl, withDatabase } from '../support/mongo.ts'
import { closeLater } from '../support/opened-stores.ts'
import { newFolder } from '../support/run.ts'
import {
  Clinic,
  COMBINED,
  composite,
  date,
  inner,
  key,
  position,
  quantity,
  reference,
  string,
  token,
  uri,
  words,
} from './fixtures.ts'

/** Every kind of entry, repeated values and values of its own, and a resource within it. */
const entriesOf = (n: number): readonly IndexEntry[] => [
  string('name', `Anna ${n}`),
  words('_text', `anna number ${n}`),
  token('identifier', `${n}`, `urn:ids:${n % 40}`),
  token('status', 'free', 'urn:status'),
  key('match', `anna|${n}`),
  uri('url', `urn:url:${n}`),
  reference('schedule', 'Schedule/1'),
  reference('link', `urn:outside:${n}`),
  date('start', n, n + 5),
  quantity('size', n, n, 'mg', 'urn:units'),
  position('near', 1, n % 90),
  composite('coded', token('a', `${n}`), token('b', 'x')),
  ...inner('_contained', '#Location', `Slot/${n}#l`, [string('name', `Place ${n}`)]),
]

/** More than a block of rows, so that they are counted, and words are listed. */
const MANY = ROWS_OF_BLOCK + 10

async function fill(clinic: Clinic, count: number): Promise<void> {
  await clinic.fill(count, (n) => clinic.change(`Slot/${n}`, entriesOf(n)))
  await clinic.put('Slot/0', entriesOf(1))
  await clinic.delete('Slot/1')
  await clinic.record('call', '1', 1, { due: 1 })
}

async function dropAll({ store, name }: Clinic, limit: number): Promise<void> {
  while (!(await store.drop(name, { limit })));
}

/** The number of rows of each table, or of documents of each collection. */
type Counts = Readonly<Record<string, number>>

/** @param written the tables that the clinic has rows in */
async function expectNoTrace(
  store: ResourceStore,
  written: readonly string[],
  countAll: () => Counts | Promise<Counts>,
): Promise<void> {
  const [stays, goes] = [new Clinic(store, 'stays'), new Clinic(store, 'goes')]
  const empty = await countAll()
  await fill(goes, MANY)
  const filled = await countAll()
  expect(Object.keys(filled).filter((table) => (filled[table] ?? 0) > (empty[table] ?? 0))).toEqual(
    expect.arrayContaining([...written]),
  )
  await dropAll(goes, 300)
  expect(await countAll()).toEqual(empty)
  await fill(stays, 20)
  const before = await countAll()
  await fill(goes, 20)
  await dropAll(goes, 7)
  expect(await countAll()).toEqual(before)
  expect(await stays.find('Slot', [{ kind: 'token', param: 'identifier', code: '7' }])).toEqual(['Slot/7'])
}

const TABLES = [
  ...['name', 'resource', 'version', 'record', 'string_index', 'word_index', 'word_list', 'token_index', 'key_list'],
  ...['key_index', 'reference_index', 'uri_index', 'range_index', 'position_index', 'composite_index'],
  ...['combined_index', 'block_type', 'block_param', 'block_code'],
]

function sqliteCounts(path: string): Counts {
  const db = new DatabaseSync(path)
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const counts = tables.map(({ name }) => [
    String(name),
    Number(db.prepare(`SELECT count(*) AS count FROM ${name}`).get()?.['count']),
  ])
  db.close()
  return Object.fromEntries(counts) as Counts
}

/** A drop by another process shows after a moment; one by this process at once, as the contract has it. */
async function untilFound(clinic: Clinic, expected: readonly string[]): Promise<void> {
  let found = await clinic.find('Slot', [])
  for (const deadline = Date.now() + 10_000; !isDeepStrictEqual(found, expected) && Date.now() < deadline; ) {
    await sleep(5)
    found = await clinic.find('Slot', [])
  }
  expect(found).toEqual(expected)
}

describeOnSqlite('a drop on SQLite', () => {
  const open = async () => {
    const path = join(newFolder(), 'emr.db')
    return { path, store: closeLater(await openSqliteStore({ path, combined: COMBINED })) }
  }

  test('leaves no row in any table', async () => {
    const { path, store } = await open()
    await expectNoTrace(store, TABLES, () => sqliteCounts(path))
    const db = new DatabaseSync(path)
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    db.close()
  })

  test('shows in what is noticed of changes, and what is written next is noticed too', async () => {
    const { store } = await open()
    const clinic = new Clinic(store, 'c')
    const last = () => store.noticeChanges?.().last('c', ['Slot']) ?? Number.NaN
    await fill(clinic, 3)
    const before = last()
    await dropAll(clinic, 100)
    const dropped = last()
    expect(dropped).toBeGreaterThan(before)
    await clinic.put('Slot/0')
    expect(last()).toBeGreaterThan(dropped)
  })

  test('gives no row of a counted block to a new resource, so totals stay right', async () => {
    const { store } = await open()
    const [gone, next] = [new Clinic(store, 'gone'), new Clinic(store, 'next')]
    await fill(gone, MANY)
    await dropAll(gone, 500)
    await next.fill(MANY, (n) => next.change(`Slot/${n}`, [token('status', n % 2 === 0 ? 'free' : 'busy')]))
    await next.delete('Slot/0')
    const totalOf = async (code: string) => {
      const where = [{ kind: 'token', param: 'status', code }] as const
      return (await next.search('Slot', { where, count: 0, total: 'accurate' })).total
    }
    expect(await totalOf('free')).toBe(MANY / 2 - 1)
    expect(await totalOf('busy')).toBe(MANY / 2)
    const found = await next.search('Slot', { count: 2 * MANY })
    expect(found.matches).toHaveLength(MANY - 1)
  })

  test.each(['another store', 'another thread'] as const)(
    'and a new clinic of that name show in %s, which had the clinic in memory',
    async (who) => {
      const { path, store } = await open()
      const options = {
        path,
        combined: COMBINED,
        shared: who === 'another thread' ? store.share?.()?.value : undefined,
      }
      const other = new Clinic(closeLater(await openSqliteStore(options)), 'c')
      const clinic = new Clinic(store, 'c')
      for (const round of [1, 2, 3]) {
        await clinic.put(`Slot/${round}`, entriesOf(round))
        await other.put('Slot/x', entriesOf(7))
        await untilFound(other, [`Slot/${round}`, 'Slot/x'])
        await (round === 2 ? dropAll(other, 3) : dropAll(clinic, 3))
        await untilFound(other, [])
        await untilFound(clinic, [])
      }
      await new Clinic(store, 'd').put('Slot/1', entriesOf(1))
      expect(await other.find('Slot', [])).toEqual([])
    },
  )
})

describeOnMongo('a drop on MongoDB', () => {
  test('leaves no document in any collection', async () => {
    const url = await newMongoUrl()
    const store = closeLater(await openMongoStore({ url, combined: COMBINED }))
    await expectNoTrace(store, ['resources', 'inner', 'history', 'records'], () =>
      withDatabase(url, async (db) => {
        const names = (await db.listCollections().toArray())
          .map(({ name }) => name)
          .filter((name) => !name.startsWith('system.'))
        const counts = await Promise.all(names.map(async (name) => [name, await db.collection(name).countDocuments()]))
        return Object.fromEntries(counts) as Counts
      }),
    )
  })
})
