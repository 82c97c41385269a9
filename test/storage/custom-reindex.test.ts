/** Reindexing by the search parameters of a clinic, on each engine: see ResourceStore.reindex. */
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { IndexEntry, SearchPlan } from '../../src/search/plan.ts'
import {
  CUSTOM_PARAMETERS,
  type Extraction,
  type IndexingProgress,
  type ResourceStore,
} from '../../src/storage/port.ts'
import { EntriesOutdated, StoreConflict } from '../../src/storage/store-errors.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { plansOf } from '../support/mongo-plans.ts'
import { newMongoUrl } from '../support/mongo-url.ts'
import { newFolder } from '../support/run.ts'
import { token } from './fixtures.ts'
import { openAs } from './people.ts'

/** A clinic's record names the field that its resources are found by under `own`. */
const EXTRACTION: Extraction = {
  version: 1,
  types: ['Patient'],
  parametersOf: () => new Map(),
  entriesOf: (_clinic, { text }, custom) => {
    if (text.includes('unreadable')) throw new Error('It cannot be read')
    return ownEntries(text, custom)
  },
}

const ownEntries = (text: string, custom: unknown): readonly IndexEntry[] => {
  const value: unknown = JSON.parse(text)[String(custom)]
  return typeof value === 'string' ? [token('own', value)] : []
}

const open = (url: string) => openAs(url, { extraction: EXTRACTION })

/** A process, with its own view of the clinic's record. */
class Writer {
  readonly store: ResourceStore
  readonly clinic: string
  indexVersion = 0
  field: string | undefined

  constructor(store: ResourceStore, clinic = 'north') {
    this.store = store
    this.clinic = clinic
  }

  async declare(field: string): Promise<void> {
    const { clinic, indexVersion: expect } = this
    const records = [{ clinic, ...CUSTOM_PARAMETERS, expect, value: field }]
    await this.store.write({ clinic, resources: [], records, guards: [] })
    this.indexVersion += 1
    this.field = field
  }

  async write(id: string, fields: Readonly<Record<string, string>>, version = 1): Promise<void> {
    const text = JSON.stringify({ id, ...fields })
    const change = { type: 'Patient', id, version, expect: version - 1, lastUpdated: version, method: 'PUT' } as const
    const entries = ownEntries(text, this.field)
    const { clinic, indexVersion } = this
    await this.store.write({ clinic, resources: [{ ...change, text, entries }], indexVersion, records: [], guards: [] })
  }

  /** Ids, or undefined while some have older entries. */
  async find(code: string): Promise<readonly string[] | undefined> {
    const { clinic } = this
    const where = [{ kind: 'token', param: 'own', code }] as const
    const plan: SearchPlan = {
      ...{ clinic, types: ['Patient'], where, sort: [], count: 100, total: 'none', include: [], includeLimit: 0 },
    }
    try {
      const { matches } = await this.store.search(plan, { Patient: this.indexVersion })
      return matches.map(({ id }) => id).sort()
    } catch (error) {
      if (error instanceof EntriesOutdated) return undefined
      throw error
    }
  }

  /** All of them, a few at a time. @returns how many were looked at, and failed */
  async reindex(): Promise<readonly [number, number]> {
    const { clinic, indexVersion } = this
    let [done, failed, after]: [number, number, string | undefined] = [0, 0, undefined]
    do {
      const from: { readonly after?: string } = after === undefined ? {} : { after }
      const batch = await this.store.reindex({ clinic, type: 'Patient', indexVersion, limit: 3, ...from })
      done += batch.done
      failed += batch.failed
      after = batch.next
    } while (after !== undefined)
    return [done, failed]
  }
}

function describeReindexing(newUrl: () => Promise<string>): void {
  test('all of a clinic are found by what it has added, and by what it has changed, alone', async () => {
    const store = await open(await newUrl())
    const [north, south] = [new Writer(store), new Writer(store, 'south')]
    for (let id = 0; id < 10; id += 1) {
      for (const clinic of [north, south])
        await clinic.write(`p${id}`, { eyes: id < 4 ? 'blue' : 'brown', hand: 'left' })
    }
    await north.declare('eyes')
    expect(await north.reindex()).toEqual([10, 0])
    expect(await north.find('blue')).toEqual(['p0', 'p1', 'p2', 'p3'])
    expect(await south.find('blue')).toEqual([])
    await north.declare('hand')
    expect(await north.reindex()).toEqual([10, 0])
    expect(await north.find('blue')).toEqual([])
    expect(await north.find('left')).toHaveLength(10)
    await store.close()
  })

  test('one that cannot be read keeps what it is found by, and is counted', async () => {
    const store = await open(await newUrl())
    const north = new Writer(store)
    await north.declare('eyes')
    await north.write('p1', { eyes: 'blue', note: 'unreadable' })
    await north.write('p2', { eyes: 'blue' })
    await north.declare('hand')
    expect(await north.reindex()).toEqual([2, 1])
    expect(await north.find('blue')).toEqual(['p1'])
    await store.close()
  })

  test('what a process writes that knows only older parameters is refused, or never silently missing', async () => {
    const url = await newUrl()
    const [one, other] = [await open(url), await open(url)]
    const [knowing, late] = [new Writer(one), new Writer(other)]
    await late.write('p0', { eyes: 'blue' })
    await knowing.declare('eyes')
    await knowing.reindex()
    for (const [id, version] of [
      ['p0', 2],
      ['p1', 1],
    ] as const) {
      const refused = await late.write(id, { eyes: 'blue' }, version).catch((error: unknown) => error)
      if (refused instanceof StoreConflict) continue
      expect(refused).toBeUndefined()
      expect(await knowing.find('blue')).toBeUndefined()
      await knowing.reindex()
      expect(await knowing.find('blue')).toContain(id)
    }
    expect(await knowing.find('blue')).toContain('p0')
    for (const store of [one, other]) await store.close()
  })

  test('a newer server, which reindexes everything, keeps what a clinic has added', async () => {
    const url = await newUrl()
    const [before, north] = [await open(url), new Writer(await open(url))]
    await before.close()
    for (let id = 0; id < 5; id += 1) await north.write(`p${id}`, { eyes: 'blue' })
    await north.declare('eyes')
    await north.reindex()
    await north.store.close()
    const { promise: isComplete, resolve } = Promise.withResolvers<void>()
    const newer = { ...EXTRACTION, version: 2, parametersOf: () => new Map([['other', 'a']]) }
    const onIndexing = ({ state }: IndexingProgress) => state === 'is complete' && resolve()
    const after = new Writer(await openAs(url, { extraction: newer, onIndexing }))
    after.indexVersion = north.indexVersion
    expect(await after.find('blue')).toHaveLength(5)
    await isComplete
    expect(await after.find('blue')).toHaveLength(5)
    await after.store.close()
  })

  test('reindexing by older parameters undoes nothing that was done by newer ones', async () => {
    const url = await newUrl()
    const [one, other] = [await open(url), await open(url)]
    const [old, young] = [new Writer(one), new Writer(other)]
    for (let id = 0; id < 7; id += 1) await old.write(`p${id}`, { eyes: 'blue', hand: 'left' })
    await old.declare('eyes')
    young.indexVersion = old.indexVersion
    await young.declare('hand')
    await Promise.all([old.reindex(), young.reindex(), old.reindex(), young.reindex()])
    expect(await young.find('left')).toHaveLength(7)
    expect(await young.find('blue')).toEqual([])
    for (const store of [one, other]) await store.close()
  })
}

describeOnSqlite('on SQLite', () => describeReindexing(async () => `sqlite:${join(newFolder(), 'emr.db')}`))
describeOnMongo('on MongoDB', () => {
  describeReindexing(newMongoUrl)

  test('what a process that knows only older parameters writes during the work is found by its newest values', async () => {
    const url = await newMongoUrl()
    const [knowing, late] = [new Writer(await open(url)), new Writer(await open(url))]
    const all = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']
    const rewrite = (version: number) => Promise.all(all.map((id) => late.write(id, { eyes: `v${version}` }, version)))
    await knowing.declare('eyes')
    for (let version = 1; version < 20; version += 2) {
      await rewrite(version)
      await Promise.all([knowing.reindex(), rewrite(version + 1)])
      await knowing.reindex()
      expect(await knowing.find(`v${version + 1}`)).toEqual(all)
    }
    for (const { store } of [knowing, late]) await store.close()
  })

  test('whether all of a type is indexed takes a few keys of the index, however much there is', async () => {
    const url = await newMongoUrl()
    const north = new Writer(await open(url))
    await north.declare('eyes')
    for (let id = 0; id < 300; id += 1) await north.write(`p${id}`, { eyes: id === 7 ? 'blue' : 'brown' })
    const plans = await plansOf(url, () => north.find('blue'))
    expect(plans.length).toBeGreaterThan(1)
    for (const { keysExamined, documentsExamined, stages } of plans) {
      expect(keysExamined).toBeLessThan(10)
      expect(documentsExamined).toBeLessThan(2)
      expect([...stages]).not.toContain('COLLSCAN')
    }
    await north.store.close()
  })
})
