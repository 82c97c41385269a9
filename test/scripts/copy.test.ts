/** `npm run copy`: each test runs the script as a process of its own, between real stores. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { StoredContents } from '../../src/content/contents.ts'
import { contentElement } from '../../src/fhir/content/marker.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { openContentStore, openStore } from '../../src/main/open-store.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { Repository } from '../../src/repository/repository.ts'
import { CUSTOM_INDEX, CUSTOM_PARAMETERS, type RecordChange, type ResourceStore } from '../../src/storage/port.ts'
import { contentFolderOf } from '../../src/storage/sqlite/content-store.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { newMongoUrl, withDatabase } from '../support/mongo.ts'
import { newFolder } from '../support/run.ts'

/** Patients of a clinic, so that a copy takes several sets. */
const MANY = 500

const SCRIPT = join(import.meta.dirname, '../../scripts/copy.ts')

const folder = newFolder()

let files = 0
const newFile = (): Promise<string> => {
  files += 1
  return Promise.resolve(`sqlite:${join(folder, `${files}.db`)}`)
}

interface Run {
  readonly code: number | null
  readonly output: string
  readonly error: string
}

/** @param during may end the process */
async function copy(args: readonly string[], during = async (_kill: () => void): Promise<void> => {}): Promise<Run> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  let [output, error] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    error += chunk
  })
  await Promise.race([during(() => child.kill('SIGKILL')), closed])
  const [code] = (await closed) as [number | null]
  return { code, output, error }
}

const copyBetween = (from: string, to: string) => copy(['--from', from, '--to', to])

async function withStore<T>(url: string, work: (store: ResourceStore) => Promise<T>): Promise<T> {
  const store = await openStore(url, undefined, { onlyScanned: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Two clinics with histories, deletions, a large resource and records; and records of the whole service. */
async function fill(url: string, patients = 5): Promise<void> {
  const store = await openStore(url)
  const repository = new Repository(store, { baseUrl: 'http://here' })
  const put = (clinic: string, ...resources: readonly AnyResource[]) =>
    repository.change(clinic, async (unit) => {
      for (const one of resources) await unit.put(one, 'PUT')
    })
  for (const clinic of ['north', 'south']) {
    const patient = (id: string, family: string) => ({ resourceType: 'Patient', id, name: [{ family }] }) as AnyResource
    const named = (family: string) => Array.from({ length: patients }, (_, id) => patient(`${id}`, family))
    await put(clinic, ...named('Berg'))
    await put(clinic, ...named(clinic))
    await repository.change(clinic, async (unit) => void (await unit.delete('Patient', '1')))
    await repository.change(clinic, async (unit) => void (await unit.delete('Patient', '2')))
    await put(clinic, patient('2', 'again'))
    const observation =
      '{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.00}}'
    await store.write({
      ...{ clinic, records: [], guards: [] },
      resources: [
        {
          type: 'Observation',
          id: '1',
          version: 1,
          lastUpdated: 7,
          method: 'POST',
          text: observation,
          expect: 0,
          entries: [],
        },
      ],
    })
    const _data = contentElement(await received(url, repository, clinic))
    await put(clinic, { resourceType: 'Binary', id: 'beside', contentType: 'text/plain', _data } as AnyResource)
    const data = 'AbC4'.repeat(400_000)
    await put(clinic, { resourceType: 'Binary', id: 'large', contentType: 'text/plain', data } as AnyResource)
    await repository.change(clinic, async (unit) => {
      unit.records.put(recordKind('outbox'), '1', { say: ['ü', 1.5] }, { due: 1234 })
    })
    for (const turn of [1, 2, 3]) {
      await repository.change(clinic, async (unit) =>
        unit.records.put(recordKind('caller'), 'a', { turn }, { expect: 'any' }),
      )
    }
  }
  await repository.change('north', async (unit) => unit.records.put(recordKind('account'), 'nora', { clinic: 'north' }))
  await store.close()
}

const BESIDE = 'beside the resources, '.repeat(50_000)

/** The same bytes in each clinic. @returns their SHA-256 */
async function received(url: string, repository: Repository, clinic: string): Promise<string> {
  const store = await openContentStore(url)
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(BESIDE)
  }
  try {
    return (await new StoredContents(repository, store).receive(clinic, bytes(), BESIDE.length)).sha256
  } finally {
    await store.close()
  }
}

/** The bytes of the content that `fill` has written. */
const besideOf = (url: string, clinic: string): Promise<string> =>
  withStore(url, async (store) => {
    const { items } = await store.scanRecords({ clinic, limit: 1_000 })
    const contents = await openContentStore(url)
    const found: Uint8Array[] = []
    for (const { kind, value } of items) {
      if (kind !== 'content') continue
      for await (const piece of contents.read(clinic, (value as { name: string }).name)) found.push(piece)
    }
    await contents.close()
    return String(Buffer.concat(found))
  })

/** Everything that is stored, in an order that every engine has. */
const contents = (url: string): Promise<readonly string[]> =>
  withStore(url, async (store) => {
    const found: unknown[] = []
    for (const clinic of await store.clinics()) {
      const { items, next } = await store.scanVersions({ clinic, limit: 100_000 })
      const records = await store.scanRecords({ clinic, limit: 100_000 })
      expect([next, records.next]).toEqual([undefined, undefined])
      found.push(...items.map((version) => ({ clinic, ...version })), ...records.items)
    }
    return found.map((one) => JSON.stringify(one)).sort()
  })

const families = async (url: string, clinic: string, family: string): Promise<number | undefined> => {
  const store = await openStore(url)
  const where = [{ kind: 'string', param: 'family', match: 'exact', value: family }] as const
  const plan = { types: ['Patient'], sort: [], count: 0, include: [], includeLimit: 0 } as const
  const { total } = await store.search({ ...plan, clinic, where, total: 'accurate' })
  await store.close()
  return total
}

/** Ends a copy (-9) when some of it has been written. */
const killed = (from: string, to: string): Promise<Run> =>
  copy(['--from', from, '--to', to], async (kill) => {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(5)) {
      if (await isBegun(to)) return kill()
    }
  })

const isBegun = (url: string): Promise<boolean> =>
  url.startsWith('mongodb')
    ? withDatabase(url, async (db) => (await db.collection('resources').findOne()) !== null)
    : Promise.resolve(hasVersions(url.slice('sqlite:'.length)))

function hasVersions(path: string): boolean {
  try {
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      return db.prepare('SELECT 1 FROM version WHERE seq > 0 LIMIT 1').get() !== undefined
    } finally {
      db.close()
    }
  } catch {
    // Not even a file, or no tables yet.
    return false
  }
}

function describeCopy(name: string, newSource: () => Promise<string>, newTarget: () => Promise<string>): void {
  describe(`a copy ${name}`, () => {
    test('holds the same: every version of every clinic to the letter, deletions, and all records', async () => {
      const [from, to] = [await newSource(), await newTarget()]
      await fill(from)
      const before = await contents(from)
      const { code, output, error } = await copyBetween(from, to)
      expect([code, error]).toEqual([0, ''])
      expect(output).toContain('Copied versions: 100 %')
      expect(output).toContain('2 clinics (north, south); both stores hold the same')
      expect(await contents(to)).toEqual(before)
      expect(await contents(from)).toEqual(before)
      for (const clinic of ['north', 'south']) expect(await besideOf(to, clinic)).toBe(BESIDE)
      // And is searched by the newest versions, clinic by clinic.
      expect(await families(to, 'north', 'north')).toBe(3)
      expect(await families(to, 'north', 'south')).toBe(0)
      expect(await families(to, 'south', 'again')).toBe(1)
      expect(await families(to, 'south', 'Berg')).toBe(0)
    })

    test('has the search parameters of a clinic, which its server has to index by anew', async () => {
      const [from, to] = [await newSource(), await newTarget()]
      const custom = { clinic: 'north', ...CUSTOM_PARAMETERS, expect: 'any', value: { parameters: [] }, version: 7 }
      const index = {
        clinic: 'north',
        ...CUSTOM_INDEX,
        expect: 'any',
        value: { types: { Patient: { indexVersion: 7 } } },
      }
      const source = await openStore(from)
      await source.write({ clinic: 'north', resources: [], records: [custom, index] as RecordChange[], guards: [] })
      await source.close()
      expect((await copyBetween(from, to)).error).toBe('')
      await withStore(to, async (store) => {
        const [declared, indexed] = [CUSTOM_PARAMETERS, CUSTOM_INDEX].map(({ kind, key }) =>
          store.readRecord('north', kind, key),
        )
        expect(await declared).toMatchObject({ version: 7, value: { parameters: [] } })
        expect(await indexed).toMatchObject({ due: 0, value: { types: {} } })
      })
    })

    test('goes on where it was killed (-9)', async () => {
      const [from, to] = [await newSource(), await newTarget()]
      await fill(from, MANY)
      await killed(from, to)
      await expect(openStore(to)).rejects.toThrow(/an unfinished copy of .*; finish it with npm run copy/)
      const [all, some] = [await contents(from), await contents(to)]
      expect(some.length).toBeGreaterThan(0)
      expect(some.length).toBeLessThan(all.length)
      const { code, output, error } = await copyBetween(from, to)
      expect([code, error]).toEqual([0, ''])
      expect(output).toContain('Resuming the unfinished copy')
      expect(output).not.toContain('Copied versions: 0 %')
      expect(await contents(to)).toEqual(all)
    })
  })
}

describeOnSqlite('with SQLite', () => describeCopy('from SQLite to SQLite', newFile, newFile))
describeOnMongo('with MongoDB', () => {
  describeCopy('from SQLite to MongoDB', newFile, newMongoUrl)
  describeCopy('from MongoDB to SQLite', newMongoUrl, newFile)

  test('between two databases of MongoDB holds the same', async () => {
    const [from, to] = [await newMongoUrl(), await newMongoUrl()]
    await fill(from)
    expect(await copyBetween(from, to)).toMatchObject({ code: 0, error: '' })
    expect(await contents(to)).toEqual(await contents(from))
  })
})

describeOnSqlite('a copy', () => {
  test('that does not hold what its source holds is told, by clinic and type, and ends with 1', async () => {
    const [from, to] = [await newFile(), await newFile()]
    await fill(from, MANY)
    await killed(from, to)
    const db = new DatabaseSync(to.slice('sqlite:'.length))
    db.exec(
      `UPDATE version SET text = replace(text, 'Berg', 'Burg') WHERE seq = (SELECT min(seq) FROM version WHERE text LIKE '%Berg%')`,
    )
    db.close()
    const { code, error } = await copyBetween(from, to)
    expect(code).toBe(1)
    expect(error).toContain(
      `clinic north, versions of Patient: ${2 * MANY + 3} on both sides, but with different content`,
    )
    expect(error).toContain('The target does not hold what the source holds')
    expect(error.split('\n')).toHaveLength(3)
  })

  test('of a store that has lost a content, or has another one in its place, is refused, naming it', async () => {
    const [from, to] = [await newFile(), await newFile()]
    await fill(from)
    const inFolder = join(contentFolderOf(from.slice('sqlite:'.length)), 'clinic-south')
    const [name = ''] = await readdir(inFolder)
    await writeFile(join(inFolder, name), 'something else')
    const damaged = await copyBetween(from, to)
    expect([damaged.code, damaged.error]).toEqual([
      1,
      expect.stringMatching(/The content [0-9a-f]{64} of clinic south is/),
    ])
    await rm(join(inFolder, name))
    expect((await copyBetween(from, to)).error).toMatch(/The content [0-9a-f]{64} of clinic south is missing/)
    await writeFile(join(inFolder, name), BESIDE)
    expect(await copyBetween(from, to)).toMatchObject({ code: 0, error: '' })
    expect(await besideOf(to, 'south')).toBe(BESIDE)
  })

  test('of a source that is written afterwards copies the rest, and forgets records that have gone', async () => {
    const [from, to] = [await newFile(), await newFile()]
    await fill(from, MANY)
    await killed(from, to)
    const store = await openStore(from)
    const repository = new Repository(store, { baseUrl: 'http://here' })
    await repository.change('north', async (unit) => {
      const late = { resourceType: 'Patient', id: 'late', name: [{ family: 'Late' }] }
      await unit.put(late as AnyResource, 'PUT')
      unit.records.delete(recordKind('caller'), 'a', { expect: 'any' })
      unit.records.put(recordKind('caller'), 'b', 'new')
    })
    await store.close()
    expect(await copyBetween(from, to)).toMatchObject({ code: 0, error: '' })
    expect(await contents(to)).toEqual(await contents(from))
    expect(await families(to, 'north', 'Late')).toBe(1)
  })

  test('of a source that is written all the time says so, and holds the rest after another run', async () => {
    const [from, to] = [await newFile(), await newFile()]
    await fill(from, MANY)
    const store = await openStore(from)
    const writing = { version: 0, isOver: false }
    const write = async (): Promise<void> => {
      for (; !writing.isOver; await sleep(1)) {
        const { version: expect } = writing
        writing.version += 1
        const [lastUpdated, text] = [Date.now(), `{"resourceType":"Basic","id":"1"}`]
        const next = {
          type: 'Basic',
          id: '1',
          version: writing.version,
          lastUpdated,
          method: 'PUT',
          text,
          expect,
        } as const
        await store.write({ clinic: 'north', resources: [{ ...next, entries: [] }], records: [], guards: [] })
      }
    }
    const written = write()
    const first = await copyBetween(from, to)
    writing.isOver = true
    await written
    await store.close()
    expect(first.code).toBe(1)
    expect(first.error).toContain('clinic north, versions of Basic: ')
    expect(first.error).toContain(
      'The source was written while it was copied. Stop its server, then run the same command',
    )
    expect(await copyBetween(from, to)).toMatchObject({ code: 0, error: '' })
    expect(await contents(to)).toEqual(await contents(from))
  })

  test('is refused where the target holds anything that is not of it', async () => {
    const [from, other, to] = [await newFile(), await newFile(), await newFile()]
    await fill(from, MANY)
    await fill(other)
    expect((await copyBetween(from, other)).error).toContain('The target is not empty')
    await killed(from, to)
    expect((await copyBetween(other, to)).error).toContain(`a started copy of another store, ${from}`)
    const unfinished = await copyBetween(to, await newFile())
    expect([unfinished.code, unfinished.error]).toEqual([1, expect.stringContaining('an unfinished copy of')])
  })

  test.each<[string, () => Promise<readonly string[]>, string]>([
    ['without addresses', async () => [], 'npm run copy -- --from STORE --to STORE'],
    [
      'of a file that is not there',
      async () => ['--from', 'sqlite:/no/such.db', '--to', await newFile()],
      'no file /no/such.db',
    ],
    ['of a store to itself', async () => ['--from', 'sqlite:a.db', '--to', 'sqlite:./a.db'], 'the same store'],
    [
      'of something else',
      async () => ['--from', 'postgres://u:secret@h/d', '--to', 'sqlite:a.db'],
      "'postgres://h/d' is no store",
    ],
    ['of a memory', async () => ['--from', 'sqlite::memory:', '--to', 'sqlite:a.db'], 'is no store'],
  ])('%s says what is wrong, and ends with 1', async (_what, args, told) => {
    const { code, error } = await copy(await args())
    expect(code).toBe(1)
    expect(error).toContain(told)
    expect(error).not.toContain('secret')
  })

  test('of an empty store is refused', async () => {
    const from = await newFile()
    await withStore(from, async () => {})
    expect((await copyBetween(from, await newFile())).error).toContain('the source is empty')
  })
})
