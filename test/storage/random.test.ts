/** Each engine and the naive model get the same random changes and run the same random plans. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Condition, SearchPlan } from '../../src/search/plan.ts'
import type { ResourceChange, ResourceStore, StoredResource } from '../../src/storage/port.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { StoreConflict } from '../../src/storage/store-errors.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { openTestMongo } from '../support/mongo.ts'
import { randomRuns, tryProperty } from '../support/random-runs.ts'
import { type Model, openModel } from './model.ts'
import { CLINICS, COVERED, changeSets, plans, type RandomChangeSet, TYPES, valueConditions } from './random.ts'

const combined = [
  { type: 'Slot', equal: ['schedule', 'status'], range: 'start' },
  { type: 'Slot', equal: ['code'], range: 'dates' },
] as const

/** Gives an empty store for each run, and a function that closes the last one. */
interface Subject {
  readonly next: () => Promise<ResourceStore>
  readonly end: () => Promise<void>
}

const LEAST = 5
const RUNS = randomRuns(150)

describe('random changes and plans give the same outcome, matches, order, totals, pages and history as the model', () => {
  describeOnSqlite('on SQLite', () => {
    test.each([
      ['collecting candidates', 4096],
      ['walking indexes in order, conditions on other resources as sets', 0],
      ['giving up what turns out to be long', 2],
    ])('%s', async (_, fewCandidates) => {
      await compareWithModel(await sqlite(fewCandidates), { most: RUNS, single: 30 })
    })
  })

  describeOnMongo('on MongoDB', () => {
    test.each([
      ['collecting candidates', 4096],
      ['walking indexes in order', 0],
    ])('%s', async (_, fewCandidates) => {
      await compareWithModel(await mongo(fewCandidates), { most: Math.ceil(RUNS / 3), single: 8 })
    })
  })
})

/** A new store for each run. */
async function sqlite(fewCandidates: number): Promise<Subject> {
  let store: ResourceStore | undefined
  const end = async () => store?.close()
  const next = async () => {
    await end()
    store = await openSqliteStore({ path: ':memory:', combined, covered: COVERED, fewCandidates })
    return store
  }
  return { next, end }
}

/** New clinics for each run: a database of its own takes longer to make than to compare. */
async function mongo(fewCandidates: number): Promise<Subject> {
  const { store, close } = await openTestMongo({ combined, fewCandidates })
  let run = 0
  const next = async () => {
    run += 1
    return ofRun(store, run)
  }
  return { next, end: close }
}

function ofRun(store: ResourceStore, run: number): ResourceStore {
  const named = (clinic: string) => `${clinic} ${run}`
  return {
    ...store,
    read: (clinic, type, id) => store.read(named(clinic), type, id),
    write: (changes) => store.write({ ...changes, clinic: named(changes.clinic) }),
    search: (plan) => store.search({ ...plan, clinic: named(plan.clinic) }),
    history: (query) => store.history({ ...query, clinic: named(query.clinic) }),
    drop: (clinic, drop) => store.drop(named(clinic), drop),
  }
}

interface Amount {
  /** Runs, if there is time for them. */
  readonly most: number
  /** Searches by a single condition on values, besides the plans of each run. */
  readonly single: number
}

async function compareWithModel({ next, end }: Subject, { most, single }: Amount): Promise<void> {
  const asked = fc.array(plans, { minLength: 8, maxLength: 8 })
  const values = fc.array(fc.oneof(...Object.values(valueConditions)), { minLength: single, maxLength: single })
  const drops = fc.option(fc.record({ clinic: fc.constantFrom(...CLINICS), at: fc.nat({ max: 8 }) }))
  const property = fc.asyncProperty(changeSets, drops, asked, values, async (sets, drop, plansOfRun, conditions) => {
    const [model, store] = [openModel(), await next()]
    for (const [time, set] of sets.entries()) {
      if (time === drop?.at) for (const one of [model, store]) await dropAll(one, drop.clinic)
      expect(await outcome(store, set, time)).toBe(await outcome(model, set, time))
    }
    for (const plan of plansOfRun) await comparePlan(store, model, plan)
    for (const condition of conditions) await compareMatches(store, model, condition)
    for (const clinic of CLINICS) {
      expect(await wholeHistory(store, clinic)).toEqual(await wholeHistory(model, clinic))
    }
  })
  try {
    // To shrink a counterexample takes longer than a test may; one with its seed and path can be shrunk separately.
    await tryProperty({ least: LEAST, most }, property, { endOnFailure: true })
  } finally {
    await end()
  }
}

async function dropAll(store: ResourceStore, clinic: string): Promise<void> {
  while (!(await store.drop(clinic, { limit: 2 })));
}

/** The versions that are expected come from the store itself, so a difference shows where it begins. */
async function outcome(store: ResourceStore, { clinic, changes }: RandomChangeSet, time: number): Promise<string> {
  const versions = new Map<string, number>()
  const resources: ResourceChange[] = []
  for (const { type, id, deletes, stale, entries } of changes) {
    const address = `${type}/${id}`
    const current = versions.get(address) ?? (await store.read(clinic, type, id))?.version ?? 0
    const version = current + 1
    versions.set(address, version)
    resources.push({
      type,
      id,
      version,
      expect: stale ? current + 1 : current,
      lastUpdated: time,
      method: deletes ? 'DELETE' : 'PUT',
      text: deletes ? '' : `${clinic}/${type}/${id}/${version}`,
      entries: deletes ? [] : entries,
    })
  }
  try {
    await store.write({ clinic, resources, records: [], guards: [] })
    return 'written'
  } catch (error) {
    if (error instanceof StoreConflict) return `${error.on} ${error.subject}`
    throw error
  }
}

async function comparePlan(store: ResourceStore, model: Model, plan: SearchPlan): Promise<void> {
  const expected = await model.search(plan)
  const found = await store.search(plan)
  expect(found.total).toBe(expected.total)
  // Ties may be broken differently: whole results are the same set, in the same order of keys.
  const everything = await model.search({ ...plan, count: 1000 })
  const whole = await store.search({ ...plan, count: 1000 })
  expect(texts(whole.matches).sort()).toEqual(texts(everything.matches).sort())
  expect(texts(whole.included).sort()).toEqual(texts(everything.included).sort())
  expect(whole.truncated).toBe(everything.truncated)
  if (plan.count > 0) expect(await paged(store, plan)).toEqual(texts(whole.matches))
  expect(whole.matches.map(({ type, id }) => model.sortKeysOf(plan, type, id))).toEqual(model.sortKeys(plan))
}

/** One condition alone costs little, so that every way to compare a value comes up. */
async function compareMatches(store: ResourceStore, model: Model, condition: Condition): Promise<void> {
  const [clinic] = CLINICS
  const where = [condition]
  const options = { sort: [], count: 1000, total: 'none', include: [], includeLimit: 0 } as const
  const plan = { clinic, types: TYPES, where, ...options }
  const [expected, found] = [await model.search(plan), await store.search(plan)]
  expect({ condition, found: texts(found.matches).sort() }).toEqual({
    condition,
    found: texts(expected.matches).sort(),
  })
}

async function paged(store: ResourceStore, plan: SearchPlan): Promise<readonly string[]> {
  const found: string[] = []
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const page = await store.search({ ...plan, ...(after === undefined ? {} : { after }) })
    found.push(...texts(page.matches))
    after = page.next
  }
  return found
}

const LISTED = {
  name: 'List/1',
  versions: [
    ...TYPES.map((type) => ({ type, id: '1' })),
    { type: 'Slot', id: '2', version: 1 },
    { type: 'Group', id: '1' },
  ],
}

async function wholeHistory(store: ResourceStore, clinic: string) {
  const queries = [{ clinic }, ...TYPES.map((type) => ({ clinic, type })), { clinic, type: 'Slot', id: '1' }]
  const found = []
  for (const query of queries) {
    for (const time of [{}, { since: 4 }, { at: { from: 2, to: 5 } }, { among: LISTED }, { since: 3, among: LISTED }]) {
      const versions: StoredResource[] = []
      let page = await store.history({ ...query, ...time, count: 3 })
      versions.push(...page.versions)
      while (page.next !== undefined) {
        page = await store.history({ ...query, ...time, count: 3, after: page.next })
        versions.push(...page.versions)
      }
      found.push({ query, time, total: page.total, versions: texts(versions) })
    }
  }
  return found
}

const texts = (resources: readonly StoredResource[]) =>
  resources.map(({ type, id, version, text }) => `${type}/${id}/${version} ${text}`)
