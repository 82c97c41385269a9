/** The embedded engine fulfils the contract, on a file and in memory, and has duties of its own. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from '@jest/globals'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'
import { closeLater } from '../support/opened-stores.ts'
import { newFolder } from '../support/run.ts'
import { plansOf } from '../support/sql-plans.ts'
import type { OpenStore } from './contract/clinics.ts'
import { REMEMBERED } from './contract/sharing.ts'
import { describeStoreContract } from './contract.ts'
import { Clinic, COMBINED, date, reference, string, token, words } from './fixtures.ts'
import { openModel } from './model.ts'

const folder = newFolder()
let files = 0

function newFile(): string {
  files += 1
  return join(folder, `${files}.db`)
}

const openAt = async (path: string, fewCandidates = 4096) => {
  const store = await openSqliteStore({ path, combined: COMBINED, fewCandidates, recentKinds: [REMEMBERED] })
  return { store, close: () => store.close() }
}

/** A store in which every read exceeds its time on the event loop. */
const openForReaders: OpenStore = async () => {
  const options = { path: newFile(), combined: COMBINED, recentKinds: [REMEMBERED] }
  const store = await openSqliteStore({ ...options, times: { allowance: -1 } })
  return { store, close: () => store.close() }
}

/** A store opened as by a thread that shares the store of another one. */
const openShared: OpenStore = async () => {
  const path = newFile()
  const options = { path, combined: COMBINED, recentKinds: [REMEMBERED] }
  const first = await openSqliteStore(options)
  const store = await openSqliteStore({ ...options, shared: first.share?.()?.value })
  return {
    store,
    close: async () => {
      await store.close()
      await first.close()
    },
  }
}

/** Runs the work without root, which may write read-only files. */
function unprivileged<T>(work: () => T): T {
  if (process.getuid?.() !== 0) return work()
  process.seteuid?.('nobody')
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

function damage(path: string): void {
  new DatabaseSync(path).exec('CREATE TABLE ours (a); INSERT INTO ours VALUES (zeroblob(20000))')
  writeFileSync(path, readFileSync(path).fill('x', 100, 4096))
}

const ENGINES: readonly (readonly [string, OpenStore])[] = [
  ['SQLite in a file', () => openAt(newFile())],
  ['SQLite in a file, read by reader threads', openForReaders],
  ['SQLite in a file, in a thread that shares the store', openShared],
  ['SQLite in memory', () => openAt(':memory:')],
  ['SQLite in memory, walking indexes even where candidates are few', () => openAt(':memory:', 0)],
]
for (const [name, open] of ENGINES) describeStoreContract(name, open)

describeStoreContract('the model that engines are compared with', async () => {
  const store = openModel()
  return { store, close: () => store.close() }
})

describe('a SQLite file', () => {
  test('that is opened again has everything', async () => {
    const path = newFile()
    const first = await openAt(path)
    const clinic = new Clinic(first.store, 'c')
    await clinic.put('Patient/1', [token('identifier', '1')])
    await clinic.record('call', '1', { a: 1 })
    await first.close()
    const again = new Clinic((await openAt(path)).store, 'c')
    expect((await again.read('Patient/1'))?.version).toBe(1)
    expect(await again.find('Patient', [{ kind: 'token', param: 'identifier', code: '1' }])).toEqual(['Patient/1'])
    expect(await again.store.isEmpty()).toBe(false)
    await again.store.close()
  })

  test('may be written by two processes: each sees the other, and one version is written once', async () => {
    const path = newFile()
    const [one, other] = [new Clinic((await openAt(path)).store, 'c'), new Clinic((await openAt(path)).store, 'c')]
    await one.put('Patient/1', [token('identifier', 'a', 'urn:x')])
    await other.put('Patient/2', [token('identifier', 'a', 'urn:x'), reference('link', 'Patient/1')])
    const where = [{ kind: 'token', param: 'identifier', system: 'urn:x', code: 'a' }] as const
    expect(await one.find('Patient', where)).toEqual(['Patient/1', 'Patient/2'])
    const outcomes = await Promise.allSettled(
      [one, other].map((clinic) => clinic.write(clinic.change('Patient/1', [], { expect: 1 }))),
    )
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await Promise.all([one.store.close(), other.store.close()])
  })

  test('that another process is writing is read meanwhile; what this one writes waits for it', async () => {
    const path = newFile()
    const { store, close } = await openAt(path)
    const clinic = new Clinic(store, 'c')
    await clinic.put('Patient/1')
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const steps: string[] = []
    const writes = ['Patient/2', 'Patient/3'].map((address) =>
      clinic.write(clinic.change(address)).then(() => steps.push(`wrote ${address}`)),
    )
    for (let look = 1; look <= 3; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      steps.push(`read version ${(await clinic.read('Patient/1'))?.version}`)
    }
    other.exec('COMMIT')
    await Promise.all(writes)
    const reads = ['read version 1', 'read version 1', 'read version 1']
    expect(steps).toEqual([...reads, 'wrote Patient/2', 'wrote Patient/3'])
    other.close()
    await close()
  })

  test('is closed when what waits for another process is written', async () => {
    const path = newFile()
    const { store, close } = await openAt(path)
    const clinic = new Clinic(store, 'c')
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const written = clinic.write(clinic.change('Patient/1'))
    const closed = close()
    await expect(clinic.write(clinic.change('Patient/2'))).rejects.toBeInstanceOf(StoreUnavailable)
    other.exec('COMMIT')
    other.close()
    await Promise.all([written, closed])
    const again = await openAt(path)
    expect((await new Clinic(again.store, 'c').read('Patient/1'))?.version).toBe(1)
    await again.close()
  })

  test('is refused when a newer server wrote it, and stays as it was', async () => {
    const path = newFile()
    await (await openAt(path)).close()
    const db = new DatabaseSync(path)
    db.exec('PRAGMA user_version = 99')
    db.close()
    const opened = openAt(path)
    await expect(opened).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(opened).rejects.toThrow(/newer version of the server \(store version 99/)
  })

  test.each([
    [
      'another program’s database',
      (path: string) => new DatabaseSync(path).exec('CREATE TABLE theirs (a)'),
      /another program/,
    ],
    ['not a database', (path: string) => writeFileSync(path, 'x'.repeat(5000)), /the file is no SQLite database/],
    ['damaged', damage, /the file is damaged; restore it from a backup/],
    ['a folder', (path: string) => mkdirSync(path), /it must be a file in a folder that this process may write/],
  ])('is refused when it is %s', async (_, make, message) => {
    const path = newFile()
    make(path)
    const opened = openAt(path)
    await expect(opened).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(opened).rejects.toThrow(message)
    await expect(opened).rejects.toThrow(path)
  })

  test('is refused when it cannot be written, before the first request meets that', async () => {
    const path = newFile()
    await (await openAt(path)).close()
    chmodSync(folder, 0o777)
    chmodSync(path, 0o444)
    await expect(unprivileged(() => openAt(path))).rejects.toThrow(/is read-only for this process/)
  })

  test('is refused when it is a device', async () => {
    await expect(openAt('/dev/null')).rejects.toThrow(
      '/dev/null: It is a device or a pipe; the database must be a file',
    )
  })

  test('is made with the folders that are missing above it', async () => {
    const path = join(folder, 'not', 'yet', 'emr.db')
    await (await openAt(path)).close()
    expect(statSync(path).isFile()).toBe(true)
  })

  test('is refused when its folder cannot be made', async () => {
    const path = newFile()
    writeFileSync(path, '')
    await expect(openAt(join(path, 'emr.db'))).rejects.toThrow(`The folder ${path} is not there`)
  })

  test('is refused while another process has locked it', async () => {
    const path = newFile()
    await (await openAt(path)).close()
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(openAt(path)).rejects.toThrow(/another process has locked it/)
    other.close()
  })

  test('finds the same whichever combined indexes are declared when it is opened', async () => {
    const path = newFile()
    const slot = { type: 'Slot', equal: ['schedule', 'status'], range: 'start' } as const
    const where = [
      { kind: 'reference', param: 'schedule', type: 'Schedule', id: '1' },
      { kind: 'token', param: 'status', code: 'free' },
      { kind: 'date', param: 'start', bounds: { lowMin: 3, lowMax: 5 } },
    ] as const
    const slots = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `Slot/${from + index}`)
    for (const combined of [[], [slot], [], [slot]]) {
      const store = await openSqliteStore({ path, combined })
      const clinic = new Clinic(store, 'c')
      for (const [index, address] of slots(0, 9).entries()) {
        await clinic.put(address, [reference('schedule', 'Schedule/1'), token('status', 'free'), date('start', index)])
      }
      expect(await clinic.find('Slot', where)).toEqual(slots(3, 6))
      await clinic.delete('Slot/4')
      expect(await clinic.find('Slot', where)).toEqual(['Slot/3', 'Slot/5'])
      await store.close()
    }
  })
})

test('the clinics are found without going through the records of each', async () => {
  const store = closeLater(await openSqliteStore({ path: ':memory:', combined: [] }))
  await new Clinic(store, 'one').record('call', '1', 1)
  const plans = await plansOf(async () => expect(await store.clinics()).toEqual(['one']))
  expect(plans.filter((step) => step.startsWith('SCAN record'))).toEqual([])
})

describe('words', () => {
  test('that an older version has stored as strings are found before they are reindexed, and after', async () => {
    const { store, close } = await openAt(':memory:')
    const clinic = new Clinic(store, 'north')
    await clinic.put('Patient/1', [string('note', 'bone'), string('note', 'liver')])
    await clinic.put('Patient/2', [words('note', 'bone lung')])
    const found = (match: 'equal' | 'prefix', value: string) =>
      clinic.find('Patient', [{ kind: 'words', param: 'note', match, value }])
    expect(await found('equal', 'bone')).toEqual(['Patient/1', 'Patient/2'])
    expect(await found('prefix', 'l')).toEqual(['Patient/1', 'Patient/2'])

    await clinic.put('Patient/1', [words('note', 'bone')])
    expect(await found('equal', 'bone')).toEqual(['Patient/1', 'Patient/2'])
    expect(await found('prefix', 'l')).toEqual(['Patient/2'])
    await close()
  })

  test('are sorted by, the lowest or the highest of each resource, and strings of an older version with them', async () => {
    const { store, close } = await openAt(':memory:')
    const clinic = new Clinic(store, 'north')
    await clinic.put('Patient/1', [words('sound', 'b z')])
    await clinic.put('Patient/2', [string('sound', 'c'), string('sound', 'y')])
    await clinic.put('Patient/3', [words('sound', 'x a')])
    await clinic.put('Patient/4')
    const sorted = async (descending: boolean) =>
      (await clinic.search('Patient', { sort: [{ by: 'string', param: 'sound', descending }] })).matches.map(
        ({ id }) => id,
      )
    expect(await sorted(false)).toEqual(['3', '1', '2', '4'])
    expect(await sorted(true)).toEqual(['1', '2', '3', '4'])
    await close()
  })

  test('cost a commit no more than a few rows, however many there are: the lists of many resources are written at once', async () => {
    const path = newFile()
    const { store, close } = await openAt(path)
    const clinic = new Clinic(store, 'north')
    const text = Array.from({ length: 50 }, (_, at) => `w${at}`).join(' ')
    const put = async (from: number, to: number) => {
      for (let at = from; at < to; at += 1) await clinic.put(`Patient/${at}`, [words('note', `${text} n${at}`)])
    }
    const db = new DatabaseSync(path)
    const lists = () => db.prepare('SELECT count(*) AS lists FROM word_list').get()
    await put(0, 255)
    expect(lists()).toEqual({ lists: 0 })
    await put(255, 256)
    expect(lists()).toEqual({ lists: 50 + 256 })
    db.close()
    await close()
  })
})

describe('texts that would not fit into the memory together', () => {
  const TEXT = 'x'.repeat(12 * 1024 * 1024)
  const ids = ['1', '2', '3', '4', '5']

  async function five() {
    const { store, close } = await openAt(':memory:')
    for (const [at, id] of ids.entries()) {
      const change = { type: 'Binary', id, version: 1, expect: 0, lastUpdated: at, method: 'PUT', text: TEXT } as const
      const entries = id === '1' ? [] : [reference('next', `Binary/${Number(id) - 1}`)]
      await store.write({ clinic: 'c', resources: [{ ...change, entries }], records: [], guards: [] })
    }
    return { store, close }
  }

  const everything = { clinic: 'c', types: ['Binary'], where: [], sort: [], total: 'none', includeLimit: 10 } as const

  test('come in shorter pages of a search than were asked for, none left out', async () => {
    const { store, close } = await five()
    const pages: string[][] = []
    for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
      const page = await store.search({ ...everything, count: 1000, include: [], ...(after ? { after } : {}) })
      pages.push(page.matches.map(({ id }) => id))
      after = page.next
    }
    expect(pages).toEqual([['1', '2'], ['3', '4'], ['5']])
    await close()
  })

  test('come in shorter pages of a history', async () => {
    const { store, close } = await five()
    const first = await store.history({ clinic: 'c', count: 1000 })
    expect([first.versions.map(({ id }) => id), first.total]).toEqual([['5', '4'], 5])
    const second = await store.history({ clinic: 'c', count: 1000, after: first.next ?? '' })
    expect(second.versions.map(({ id }) => id)).toEqual(['3', '2'])
    await close()
  })

  test('are cut off where they are included', async () => {
    const { store, close } = await five()
    const include = [{ source: 'Binary', param: 'next', reverse: false, iterate: true }]
    const where = [{ kind: 'id', ids: ['5'] }] as const
    const found = await store.search({ ...everything, where, count: 10, include })
    expect([found.included.map(({ id }) => id), found.truncated]).toEqual([['4', '3'], true])
    await close()
  })
})

describe('a fault in the middle of a shared commit', () => {
  test('fails the change set that has it and no other, and leaves no trace of it', async () => {
    const { store, close } = await openAt(':memory:')
    const clinic = new Clinic(store, 'c')
    const good = (id: string) => clinic.write(clinic.change(`Patient/${id}`, [token(`param-${id}`, 'x', `urn:${id}`)]))
    // A value that no column takes: it fails after the resource itself is written.
    const broken = clinic.change('Broken/1', [token('broken', 'x', 'urn:broken'), date('start', Number.NaN)])
    const outcomes = await Promise.allSettled([good('1'), clinic.write(broken), good('2')])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await clinic.read('Broken/1')).toBeUndefined()
    for (const id of ['1', '2']) {
      const where = [{ kind: 'token', param: `param-${id}`, system: `urn:${id}`, code: 'x' }] as const
      expect(await clinic.find('Patient', where)).toEqual([`Patient/${id}`])
    }
    await clinic.write(clinic.change('Broken/1', [token('broken', 'x', 'urn:broken')]))
    expect(await clinic.find('Broken', [{ kind: 'token', param: 'broken', code: 'x' }])).toEqual(['Broken/1'])
    await close()
  })
})

const LOCKS = '/proc/locks'

;(existsSync(LOCKS) ? test : test.skip)('a file that is opened again stays locked for other processes', async () => {
  const path = newFile()
  const isLocked = () => readFileSync(LOCKS, 'utf8').includes(`:${statSync(path).ino} `)
  const first = await openAt(path)
  expect(isLocked()).toBe(true)
  const second = await openAt(path)
  expect(isLocked()).toBe(true)
  for (const { close } of [first, second]) await close()
})
