/** Stores that an older server wrote, and servers that search by other values than the one before. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { BSON } from 'mongodb'
import { pino } from 'pino'
import { openStore } from '../../src/main/open-store.ts'
import { MATCH_KEYS, storedKeys } from '../../src/matching/keys.ts'
import { extraction } from '../../src/search/index/versions.ts'
import type { Upgrade } from '../../src/storage/index/upgrade.ts'
import { CUSTOM_INDEX, type IndexingProgress, type KeysQuery, type ResourceStore } from '../../src/storage/port.ts'
import { IndexIncomplete, StoreUnavailable } from '../../src/storage/store-errors.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { newMongoUrl, withDatabase } from '../support/mongo.ts'
import { newFolder } from '../support/run.ts'
import { addresses, Clinic, string } from './fixtures.ts'
import {
  BY_BLUE_KEEPER,
  BY_COLOUR,
  BY_FAMILY,
  BY_KEEPER,
  BY_LAST_LETTER,
  BY_MATCH_KEY,
  BY_MATCH_TOKEN,
  BY_OTHER_KEY,
  COMBINED_BY_BOSS,
  extracting,
  FAST,
  openAs,
  person,
  type Server,
  serve,
} from './people.ts'

const OLD_STORES = join(import.meta.dirname, 'old-stores')
const PROCESS = join(import.meta.dirname, 'indexing-process.ts')

/** Nothing is reindexed as long as this lasts. */
const NEVER = { ...FAST, look: 3_600_000 }
const LATER = { pace: NEVER }

const folder = newFolder()

let files = 0
function newFile(): string {
  files += 1
  return `sqlite:${join(folder, `${files}.db`)}`
}

const where = {
  colour: (code: string) => [{ kind: 'token', param: 'colour', code }] as const,
  family: (value: string) => [{ kind: 'string', param: 'family', match: 'exact', value }] as const,
}

const byKey = (clinic: string, param: string, key: string): KeysQuery => ({
  clinic,
  type: 'Patient',
  param,
  beginnings: [key],
  most: PEOPLE,
})

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(10)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error('It did not come to pass within 30 seconds')
}

/** The result of a search, once the indexes it uses are complete. */
const eventually = (clinic: Clinic, conditions: Parameters<Clinic['find']>[1]): Promise<readonly string[]> =>
  until(async () => {
    try {
      return await clinic.find('Patient', conditions)
    } catch (error) {
      if (error instanceof IndexIncomplete) return undefined
      throw error
    }
  })

/** The report that indexing is complete, which comes a moment after searches by it succeed. */
const completed = (progress: readonly IndexingProgress[]): Promise<IndexingProgress> =>
  until(async () => progress.find(({ state }) => state === 'is complete'))

const PEOPLE = 25

/** People of two clinics, written by a server that knows their family names only. */
async function fill(url: string): Promise<void> {
  const old = await serve(url, extracting(1, BY_FAMILY))
  for (const clinic of ['north', 'south']) {
    for (let number = 0; number < PEOPLE; number += 1) {
      const boss = number > 0 ? { boss: '0' } : {}
      await old.write(person(`${number}`, 'Berg', number % 5 === 0 ? 'red' : 'blue', boss), clinic)
    }
    await old.clinic(clinic).delete('Patient/5')
  }
  await old.store.close()
}

const REDS = ['Patient/0', 'Patient/10', 'Patient/15', 'Patient/20']

function describeMigrations(name: string, newUrl: () => Promise<string>): void {
  const withServers = async (work: (url: string, open: typeof serve) => Promise<void>): Promise<void> => {
    const opened: Server[] = []
    try {
      await work(await newUrl(), async (...args) => {
        const server = await serve(...args)
        opened.push(server)
        return server
      })
    } finally {
      for (const { store } of opened) await store.close()
    }
  }

  describe(`a search index on ${name}`, () => {
    test('is made in the background for what was stored before, in every clinic, and deletions stay out of it', () =>
      withServers(async (url, open) => {
        await fill(url)
        const progress: IndexingProgress[] = []
        const server = await open(url, extracting(2, BY_COLOUR), { onIndexing: (one) => progress.push(one) })
        for (const clinic of ['north', 'south']) {
          expect(await eventually(server.clinic(clinic), where.colour('red'))).toEqual(REDS)
        }
        const left = 2 * (PEOPLE - 1)
        const toBegin = { done: 0, left, leftInAll: left, seconds: 1 }
        expect(progress.at(0)).toEqual({ type: 'Patient', state: 'begins', failed: 0, ...toBegin })
        const atTheEnd = { done: left, left: 0, leftInAll: 0, seconds: 0 }
        expect(await completed(progress)).toEqual({ type: 'Patient', state: 'is complete', failed: 0, ...atTheEnd })
        expect(progress.at(-1)?.state).toBe('is complete')
      }))

    test('is announced before it is made, with the way back: none, unless only the configuration has changed', () =>
      withServers(async (url, open) => {
        const upgrades: Upgrade[] = []
        const onUpgrade = (upgrade: Upgrade) => void upgrades.push(upgrade)
        await open(url, extracting(1, BY_FAMILY), { onUpgrade })
        expect(upgrades).toEqual([])
        await fill(url)
        await open(url, extracting(1, BY_FAMILY), { onUpgrade, combined: COMBINED_BY_BOSS, ...LATER })
        const newer = await open(url, extracting(2, BY_COLOUR), { onUpgrade, ...LATER })
        await open(url, extracting(2, BY_COLOUR), { onUpgrade })
        const [configured, upgraded, ...others] = upgrades
        expect(configured).toMatchObject({
          part: 'search index',
          from: 1,
          to: 1,
          wayBack: expect.stringContaining('it indexes again'),
        })
        expect(upgraded).toMatchObject({
          part: 'search index',
          from: 1,
          to: 2,
          wayBack: expect.stringContaining('restore a backup'),
        })
        expect(others).toEqual([])
        expect(upgraded?.resources?.['Patient']).toBeGreaterThanOrEqual(2 * (PEOPLE - 1))
        expect(newer.store.load?.().parts).toContainEqual({
          ...{ name: 'search index', state: 'behind', waiting: 0, oldestMs: 0 },
          note: expect.stringContaining('searches by what Patient lack get 503 until then'),
        })
      }))

    test('has the keys of a newer server in place of those of before, whatever these were', () =>
      withServers(async (url, open) => {
        const old = await open(url, extracting(1, BY_MATCH_TOKEN))
        for (const colour of ['red', 'blue']) await old.write(person(`${colour}-${colour.length}`, 'Berg', colour))
        await old.write(person('gone', 'Berg', 'red'))
        await old.clinic().delete('Patient/gone')
        const found = (server: Server, beginning: string) =>
          until(async () => {
            try {
              return addresses((await server.store.findByKeys(byKey('north', 'match', beginning))).resources).toSorted()
            } catch (error) {
              if (error instanceof IndexIncomplete) return undefined
              throw error
            }
          })
        const newer = await open(url, extracting(2, BY_MATCH_KEY))
        expect(await found(newer, 'Berg|')).toEqual(['Patient/blue-4', 'Patient/red-3'])
        expect(await found(newer, 'Berg|red|')).toEqual(['Patient/red-3'])
        const tokens = await newer.store.values({
          ...{ clinic: 'north', type: 'Patient', kind: 'token', param: 'match', limit: 10 },
        })
        expect(tokens).toEqual([])
        const newest = await open(url, extracting(3, BY_OTHER_KEY))
        expect(await found(newest, 'red|Berg|')).toEqual(['Patient/red-3'])
        expect(await found(newest, 'Berg|')).toEqual([])
      }))

    test('is not searched by before it is complete: every search that goes by it says so, any other is answered', () =>
      withServers(async (url, open) => {
        await fill(url)
        const server = await open(url, extracting(2, BY_COLOUR), LATER)
        const clinic = server.clinic()
        const colour = where.colour('red')
        const chain = { kind: 'chain', param: 'boss', types: ['Patient'], where: where.family('Berg')[0] } as const
        const has = { kind: 'has', type: 'Patient', param: 'boss', where: where.family('Berg')[0] } as const
        const include = { source: 'Patient', param: 'boss', reverse: false, iterate: false }
        const refused = [
          [clinic.search('Patient', { where: colour }), 'Patient?colour'],
          [clinic.search('Patient', { where: [{ kind: 'not', of: colour[0] }] }), 'Patient?colour'],
          [
            clinic.search('Patient', { where: [{ kind: 'any', of: [...where.family('x'), ...colour] }] }),
            'Patient?colour',
          ],
          [
            clinic.search('Patient', { where: [{ kind: 'missing', param: 'colour', missing: true }] }),
            'Patient?colour',
          ],
          [clinic.search('Patient', { sort: [{ by: 'token', param: 'colour', descending: false }] }), 'Patient?colour'],
          [clinic.search('Patient', { where: [chain] }), 'Patient?boss'],
          [clinic.search('Patient', { where: [has] }), 'Patient?boss'],
          [clinic.search('Patient', { include: [include] }), 'Patient?boss'],
          [clinic.search('Patient', { include: [{ ...include, param: '*' }] }), 'Patient?*'],
          [clinic.search(['Practitioner', 'Patient'], { where: colour }), 'Patient?colour'],
          [server.store.findByKeys(byKey('north', 'colour', 'red')), 'Patient?colour'],
        ] as const
        for (const [search, use] of refused) await expect(search).rejects.toEqual(new IndexIncomplete([use]))

        expect(await clinic.find('Patient', where.family('Berg'))).toHaveLength(PEOPLE - 1)
        expect(await clinic.find('Patient', [])).toHaveLength(PEOPLE - 1)
        expect(await clinic.find('Practitioner', colour)).toEqual([])
      }))

    test('takes part of what is written before it is complete', () =>
      withServers(async (url, open) => {
        await fill(url)
        const before = await open(url, extracting(2, BY_COLOUR), LATER)
        await before.write(person('new', 'Tal', 'red'))
        await before.write(person('0', 'Tal', 'blue'))
        await before.clinic().delete('Patient/10')
        const after = await open(url, extracting(2, BY_COLOUR))
        expect(await eventually(after.clinic(), where.colour('red'))).toEqual([
          'Patient/15',
          'Patient/20',
          'Patient/new',
        ])
        expect(await after.clinic().find('Patient', where.family('Tal'))).toEqual(['Patient/0', 'Patient/new'])
      }))

    test('loses nothing that is written while it is made', () =>
      withServers(async (url, open) => {
        await fill(url)
        const server = await open(url, extracting(2, BY_COLOUR))
        const ids = Array.from({ length: PEOPLE }, (_, number) => `${number}`)
        await Promise.all(ids.map((id) => server.write(person(id, 'Tal', 'green'))))
        expect(await eventually(server.clinic(), where.colour('green'))).toHaveLength(PEOPLE)
        expect(await server.clinic().find('Patient', where.colour('red'))).toEqual([])
        expect(await server.clinic().find('Patient', where.family('Berg'))).toEqual([])
        expect(await server.clinic().find('Patient', where.family('Tal'))).toHaveLength(PEOPLE)
      }))

    test('is reindexed where a parameter has other values than before, and forgets those it had', () =>
      withServers(async (url, open) => {
        await fill(url)
        const before = await open(url, extracting(2, BY_LAST_LETTER), LATER)
        await expect(before.clinic().find('Patient', where.family('g'))).rejects.toBeInstanceOf(IndexIncomplete)
        const after = await open(url, extracting(2, BY_LAST_LETTER))
        expect(await eventually(after.clinic(), where.family('g'))).toHaveLength(PEOPLE - 1)
        expect(await after.clinic().find('Patient', where.family('Berg'))).toEqual([])
      }))

    test('has what is contained by the values of today, and none of it that has gone', () =>
      withServers(async (url, open) => {
        await fill(url)
        const [colour] = where.colour('red')
        const kept = [{ kind: 'chain', param: 'keeper', types: ['Practitioner'], where: colour }] as const
        const keepers = async (server: Server) => (await server.clinic().search('#Practitioner')).matches.length
        const server = await open(url, extracting(2, BY_KEEPER))
        for (const clinic of ['north', 'south']) expect(await eventually(server.clinic(clinic), kept)).toEqual(REDS)
        expect(await keepers(server)).toBe(PEOPLE - 1)
        await server.store.close()
        const later = await open(url, extracting(3, BY_BLUE_KEEPER))
        expect(await eventually(later.clinic(), kept)).toEqual([])
        expect(await keepers(later)).toBe(PEOPLE - 1 - REDS.length)
      }))

    test('goes back to what it was when another server goes back, and comes again', () =>
      withServers(async (url, open) => {
        await fill(url)
        for (const [parameters, found, gone] of [
          [BY_LAST_LETTER, 'g', 'Berg'],
          [BY_FAMILY, 'Berg', 'g'],
          [BY_LAST_LETTER, 'g', 'Berg'],
        ] as const) {
          const server = await open(url, extracting(2, parameters))
          expect(await eventually(server.clinic(), where.family(found))).toHaveLength(PEOPLE - 1)
          expect(await server.clinic().find('Patient', where.family(gone))).toEqual([])
        }
      }))

    test('has a new combined index made, drops one that is no longer declared, and finds the same all the time', () =>
      withServers(async (url, open) => {
        await fill(url)
        const conditions = [
          { kind: 'reference', param: 'boss', type: 'Patient', id: '0' },
          ...where.colour('red'),
          { kind: 'date', param: 'since', bounds: { lowMin: 5, lowMax: 9 } },
        ] as const
        const first = await open(url, extracting(2, BY_COLOUR))
        const expected = REDS.slice(1)
        expect(await eventually(first.clinic(), conditions)).toEqual(expected)
        await first.store.close()
        for (const combined of [COMBINED_BY_BOSS, [], COMBINED_BY_BOSS]) {
          const before = await open(url, extracting(2, BY_COLOUR), { combined, ...LATER })
          expect(await before.clinic().find('Patient', conditions)).toEqual(expected)
          // Written while the combined index is not complete, or no longer there.
          await before.write(person('10', 'Berg', 'blue', { boss: '0' }))
          expect(await before.clinic().find('Patient', conditions)).toEqual(['Patient/15', 'Patient/20'])
          await before.store.close()
          const completed: string[] = []
          const onIndexing = ({ state }: IndexingProgress) => completed.push(state)
          const after = await open(url, extracting(2, BY_COLOUR), { combined, onIndexing })
          // Where the combined index is dropped, no new one is built.
          await until(async () => (combined.length === 0 || completed.includes('is complete') ? true : undefined))
          expect(await after.clinic().find('Patient', conditions)).toEqual(['Patient/15', 'Patient/20'])
          await after.write(person('10', 'Berg', 'red', { boss: '0' }))
          expect(await after.clinic().find('Patient', conditions)).toEqual(expected)
          await after.store.close()
        }
      }))

    test('is made once by several servers that start at the same time', () =>
      withServers(async (url, open) => {
        await fill(url)
        const extracted: string[] = []
        const extraction = extracting(2, BY_COLOUR, (id) => extracted.push(id))
        const servers = await Promise.all([1, 2, 3].map(() => open(url, extraction)))
        for (const server of servers) expect(await eventually(server.clinic(), where.colour('red'))).toEqual(REDS)
        expect(extracted).toHaveLength(2 * (PEOPLE - 1))
      }))

    test('keeps the values of a resource that cannot be read, and is complete without it', () =>
      withServers(async (url, open) => {
        await fill(url)
        const old = await open(url, extracting(1, BY_FAMILY), LATER)
        const text = JSON.stringify(person('odd', 'unreadable', 'red'))
        await old.clinic().put('Patient/odd', [string('family', 'Odd')], { text })
        const progress: IndexingProgress[] = []
        const server = await open(url, extracting(2, BY_COLOUR), { onIndexing: (one) => progress.push(one) })
        expect(await eventually(server.clinic(), where.colour('red'))).toEqual(REDS)
        expect(await server.clinic().find('Patient', where.family('Odd'))).toEqual(['Patient/odd'])
        expect(await completed(progress)).toMatchObject({ failed: 1 })
      }))

    test('goes on where it was when its server was killed (-9), and does nothing twice but a batch', async () => {
      const url = await newUrl()
      const old = await serve(url, extracting(1, BY_FAMILY))
      const many = 120
      for (let number = 0; number < many; number += 1) await old.write(person(`${number}`, 'Berg', 'red'))
      await old.store.close()

      const killed = await indexingProcess(url, (lines) => lines.length >= 20, 'SIGKILL')
      expect(killed.length).toBeGreaterThanOrEqual(20)
      expect(killed).not.toContain('complete')
      // It is not searched by before it is complete.
      const between = await serve(url, extracting(2, BY_COLOUR), LATER)
      await expect(between.clinic().find('Patient', where.colour('red'))).rejects.toBeInstanceOf(IndexIncomplete)
      await between.store.close()

      const second = await indexingProcess(url, (lines) => lines.includes('complete'), 'SIGTERM')
      const again = second.filter((line) => line !== 'complete')
      expect(again.length).toBeGreaterThan(0)
      expect(again.length).toBeLessThanOrEqual(many - killed.length + 5)
      const after = await serve(url, extracting(2, BY_COLOUR))
      expect(
        (await after.clinic().search('Patient', { where: where.colour('red'), count: 1000 })).matches,
      ).toHaveLength(many)
      await after.store.close()
    })

    test('of a newer server stops an older one at its start, with a sentence', () =>
      withServers(async (url, open) => {
        await open(url, extracting(2, BY_COLOUR))
        const older = open(url, extracting(1, BY_FAMILY))
        await expect(older).rejects.toBeInstanceOf(StoreUnavailable)
        await expect(older).rejects.toThrow(/newer version of the server \(search version 2, this server knows 1\)/)
      }))

    test('stays as it is where the store is only scanned', () =>
      withServers(async (url, open) => {
        await fill(url)
        const scanning = await openAs(url, { extraction: extracting(2, BY_COLOUR), onlyScanned: true })
        expect(await scanning.clinics()).toEqual(['north', 'south'])
        await scanning.close()
        const extracted: string[] = []
        const old = await open(
          url,
          extracting(1, BY_FAMILY, (id) => extracted.push(id)),
        )
        expect(await old.clinic().find('Patient', where.family('Berg'))).toHaveLength(PEOPLE - 1)
        expect(extracted).toEqual([])
      }))
  })
}

/** The output of the process until it was ended. */
async function indexingProcess(
  url: string,
  isEnough: (lines: readonly string[]) => boolean,
  signal: NodeJS.Signals,
): Promise<readonly string[]> {
  const child = spawn(process.execPath, [PROCESS, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    if (isEnough(output.split('\n').slice(0, -1))) child.kill(signal)
  })
  await closed
  return output.split('\n').slice(0, -1)
}

describeOnSqlite('on SQLite', () => describeMigrations('SQLite', async () => newFile()))
describeOnMongo('on MongoDB', () => describeMigrations('MongoDB', newMongoUrl))

describeOnSqlite('an older server that goes on running', () => {
  test('no longer writes a SQLite file; it goes on reading', async () => {
    const url = newFile()
    await fill(url)
    const old = await serve(url, extracting(1, BY_FAMILY))
    const server = await serve(url, extracting(2, BY_COLOUR))
    const written = old.write(person('late', 'Berg', 'red'))
    await expect(written).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(written).rejects.toThrow(/Another version of the server has opened this store/)
    expect(await old.clinic().find('Patient', where.family('Berg'))).toHaveLength(PEOPLE - 1)
    expect((await old.clinic().read('Patient/0'))?.version).toBe(1)
    for (const { store } of [old, server]) await store.close()
  })

  test('writes a file that a server with the same index opens beside it', async () => {
    const url = newFile()
    const servers = [await serve(url, extracting(1, BY_FAMILY)), await serve(url, extracting(1, BY_FAMILY))]
    for (const [number, server] of servers.entries()) await server.write(person(`${number}`, 'Berg', 'red'))
    for (const { store } of servers) await store.close()
  })
})

describeOnMongo('an older server that goes on running on MongoDB', () => {
  test('goes on writing; what it writes is indexed a moment later', async () => {
    const url = await newMongoUrl()
    await fill(url)
    const old = await serve(url, extracting(1, BY_FAMILY))
    const server = await serve(url, extracting(2, BY_COLOUR))
    expect(await eventually(server.clinic(), where.colour('red'))).toEqual(REDS)
    await old.write(person('late', 'Berg', 'red'))
    await old.write(person('0', 'Berg', 'blue'))
    const expected = [...REDS.slice(1), 'Patient/late'].join()
    await until(async () => {
      const found = await server.clinic().find('Patient', where.colour('red'))
      return found.join() === expected ? found : undefined
    })
    await until(async () =>
      (await old.clinic().find('Patient', where.family('Berg'))).length === PEOPLE ? true : undefined,
    )
    for (const { store } of [old, server]) await store.close()
  })

  test('no longer serves a database whose form a newer one has changed', async () => {
    const url = await newMongoUrl()
    const old = await serve(url, extracting(1, BY_FAMILY))
    await old.write(person('0', 'Berg', 'red'))
    await withDatabase(url, (db) =>
      db.collection('store').updateOne({ version: { $exists: true } }, { $set: { version: 99 }, $inc: { epoch: 1 } }),
    )
    const refusal = await until(() =>
      old
        .clinic()
        .read('Patient/0')
        .then(
          () => undefined,
          (error: unknown) => error,
        ),
    )
    expect(refusal).toBeInstanceOf(StoreUnavailable)
    await expect(old.write(person('1', 'Berg', 'red'))).rejects.toBe(refusal)
    await old.store.close()
  })
})

/** Expects the contents of the stores in test/storage/old-stores, which servers of earlier versions wrote. */
async function expectOldStore(store: ResourceStore): Promise<void> {
  for (const name of ['north', 'south']) {
    const clinic = new Clinic(store, name)
    const patients = (family: string) =>
      clinic.find('Patient', [{ kind: 'string', param: 'family', match: 'exact', value: family }])
    expect(await patients('Berg')).toEqual(name === 'north' ? ['Patient/emil'] : [])
    expect(await patients('Sommer')).toEqual(['Patient/anna'])
    const [key = ''] = storedKeys({ resourceType: 'Patient', name: [{ family: 'Sommer', given: ['Anna'] }] })
    const matched = await store.findByKeys(byKey(name, MATCH_KEYS, key))
    expect(addresses(matched.resources)).toEqual(['Patient/anna'])
    const birthdate = {
      kind: 'date',
      param: 'birthdate',
      bounds: { lowMin: Date.UTC(1980), lowMax: Date.UTC(1981) },
    } as const
    expect(await clinic.find('Patient', [birthdate])).toEqual(['Patient/anna'])
    const free = [
      { kind: 'reference', param: 'schedule', type: 'Schedule', id: 'berg' },
      { kind: 'token', param: 'status', code: 'free' },
      { kind: 'date', param: 'start', bounds: { lowMin: Date.UTC(2026, 1, 1, 8, 30) } },
    ] as const
    expect(await clinic.find('Slot', free)).toEqual(['Slot/at-10'])
    const { versions, total } = await clinic.history({ type: 'Patient' })
    expect(total).toBe(5)
    expect(versions.map(({ id, version, method }) => `${id} ${version} ${method}`)).toEqual([
      'gone 2 DELETE',
      'anna 2 PUT',
      'gone 1 PUT',
      'emil 1 PUT',
      'anna 1 PUT',
    ])
    expect((await store.readVersion(name, 'Patient', 'anna', 1))?.text).toContain('"family":"Berg"')
    expect(await store.readRecord(name, 'call', '1')).toMatchObject({
      version: 2,
      value: { from: name, again: true },
      due: 6,
    })
  }
  expect(await store.readRecord('', 'account', 'nora')).toMatchObject({ version: 1, value: { clinic: 'north' } })
  expect(await store.clinics()).toEqual(['', 'north', 'south'])
}

/** A record of how far a clinic's resources were indexed, as servers wrote it while its version was called madeBy. */
const OLD_PROGRESS = {
  ...{ clinic: 'north', ...CUSTOM_INDEX, version: 1 },
  value: JSON.stringify({ types: { Patient: { madeBy: 2, towards: 3, done: 4, failed: 0, after: 'x' } } }),
}

/** It is forgotten, and due, so that the resources are indexed anew. */
async function expectProgressOfToday(store: ResourceStore): Promise<void> {
  expect(await store.readRecord('north', CUSTOM_INDEX.kind, CUSTOM_INDEX.key)).toEqual({
    ...{ clinic: 'north', ...CUSTOM_INDEX, version: 2 },
    ...{ value: { types: {} }, due: 0 },
  })
}

/** Waits until the entries that the old server extracted differently are reindexed. */
async function whenIndexed(store: ResourceStore): Promise<void> {
  await until(async () => {
    try {
      await expectOldStore(store)
      return true
    } catch (error) {
      if (error instanceof IndexIncomplete) return undefined
      throw error
    }
  })
}

describeOnSqlite('a store of version 1', () => {
  test('on SQLite is brought up to date when it is opened, its entries in the background', async () => {
    const url = newFile()
    const path = url.slice('sqlite:'.length)
    const made = new DatabaseSync(path)
    made.exec(readFileSync(join(OLD_STORES, 'sqlite-1.sql'), 'utf8'))
    const { clinic, kind, key, version, value } = OLD_PROGRESS
    const insert = 'INSERT INTO record (clinic, kind, key, version, value) VALUES (?, ?, ?, ?, ?)'
    made.prepare(insert).run(clinic, kind, key, version, value)
    made.close()
    const upgrades: unknown[] = []
    const logger = pino({ level: 'warn' }, { write: (line) => void upgrades.push(JSON.parse(line)) })
    for (let start = 0; start < 2; start += 1) {
      const store = await openStore(url, undefined, { logger })
      await (start === 0 ? whenIndexed(store) : expectOldStore(store))
      await expectProgressOfToday(store)
      await store.close()
    }
    expect(upgrades).toMatchObject([
      { msg: 'upgrade of the store', part: 'form', from: 1, to: 8 },
      { msg: 'upgrade of the store', part: 'search index', from: 1, resources: { Patient: 4 } },
    ])
    const db = new DatabaseSync(path)
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 8 })
    expect(db.prepare("SELECT count(*) AS found FROM sqlite_schema WHERE name = 'combined'").get()).toEqual({
      found: 0,
    })
    const incomplete = 'SELECT count(*) AS found FROM type_index WHERE wanted <> filled'
    expect(db.prepare(incomplete).get()).toEqual({ found: 0 })
    db.close()
  })
})

describeOnMongo('a store of version 1 on MongoDB', () => {
  async function oldDatabase(): Promise<string> {
    const url = await newMongoUrl()
    const dump = BSON.EJSON.parse(readFileSync(join(OLD_STORES, 'mongo-1.json'), 'utf8')) as Record<
      string,
      { _id: never }[]
    >
    await withDatabase(url, async (db) => {
      for (const [collection, documents] of Object.entries(dump)) {
        if (documents.length > 0) await db.collection(collection).insertMany(documents)
      }
      await db.collection('records').insertOne({ ...OLD_PROGRESS, due: null })
    })
    return url
  }

  const generations = (url: string) =>
    withDatabase(url, async (db) => {
      const live = await db.collection('resources').find({ live: true }).toArray()
      return live.map(({ ix }) =>
        (ix as { k: string; v: unknown }[]).filter(({ k }) => k === 'generation').map(({ v }) => v),
      )
    })

  test('is given the form of version 3, and the entries of today, in the background', async () => {
    const url = await oldDatabase()
    const store = await openStore(url)
    await whenIndexed(store)
    const made = await until(async () => {
      const found = await generations(url)
      return found.every((of) => of.length === 1) ? found : undefined
    })
    expect(made).toHaveLength(12)
    await expectOldStore(store)
    await expectProgressOfToday(store)
    await store.close()
    await withDatabase(url, async (db) => {
      const documents = await db.collection('store').find().toArray()
      expect(documents.find(({ version }) => version !== undefined)).toMatchObject({
        version: 3,
        extraction: extraction('').version,
      })
      expect(documents.filter(({ filled }) => Array.isArray(filled))).toEqual([])
    })
    const again = await openStore(url)
    await expectOldStore(again)
    await again.close()
  })

  test('is brought up to date once by several servers that start at the same time', async () => {
    const url = await oldDatabase()
    const completed: { readonly type: string; readonly done: number }[] = []
    const logger = pino(
      {},
      {
        write: (line) => {
          const { state, type, done } = JSON.parse(line)
          if (state === 'is complete') completed.push({ type, done })
        },
      },
    )
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(url, undefined, { logger })))
    for (const store of stores) await whenIndexed(store)
    await until(async () => (completed.length >= 3 ? true : undefined))
    for (const store of stores) await store.close()
    // Each type by one of the four, and each of its resources once.
    expect(completed.toSorted((one, other) => one.type.localeCompare(other.type))).toEqual([
      { type: 'Patient', done: 4 },
      { type: 'Schedule', done: 2 },
      { type: 'Slot', done: 6 },
    ])
    expect((await generations(url)).map((of) => of.length)).toEqual(Array(12).fill(1))
  })
})
