/** Totals and missing values by the counts of blocks: the same as by looking at every resource, whatever has been changed. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { Condition, IndexEntry } from '../../src/search/plan.ts'
import { ROWS_OF_BLOCK } from '../../src/storage/sqlite/block-counts.ts'
import { VisitedRows } from '../../src/storage/sqlite/connection.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { closeLater } from '../support/opened-stores.ts'
import { Clinic, date, ids, inner, quantity, reference, string, token } from './fixtures.ts'

const open = async () => closeLater(await openSqliteStore({ path: ':memory:', combined: [] }))

/** The entries of resource number `n`: all have a status, one in 500 lacks a day. */
const entriesOf = (n: number): readonly IndexEntry[] => [
  token('status', n % 3 === 0 ? 'final' : 'draft', 'urn:status'),
  token('identifier', `I-${n}`, 'urn:ids'),
  ...(n % 500 === 99 ? [] : [date('day', n)]),
  ...(n % 7 === 0 ? [token('tag', 'red'), token('tag', 'blue', 'urn:tags')] : []),
  ...(n % 11 === 0 ? [quantity('size', n, n, 'mg')] : []),
]

const fill = (clinic: Clinic, type: string, count: number): Promise<void> =>
  clinic.fill(count, (n) => clinic.change(`${type}/${n}`, entriesOf(n)))

const missing = (param: string, isMissing: boolean): Condition => ({ kind: 'missing', param, missing: isMissing })
const coded = (param: string, code: string, system?: string): Condition => ({
  kind: 'token',
  param,
  code,
  ...(system === undefined ? {} : { system }),
})
const CONDITIONS: readonly (readonly Condition[])[] = [
  [],
  [coded('status', 'final')],
  [coded('status', 'final', 'urn:status')],
  [coded('status', 'final', 'urn:other')],
  [coded('status', 'none')],
  [{ kind: 'any', of: [coded('status', 'final'), coded('status', 'draft')] }],
  [{ kind: 'not', of: coded('status', 'final') }],
  [coded('tag', 'red')],
  [coded('tag', 'blue', 'urn:tags')],
  [{ kind: 'any', of: [coded('tag', 'red'), coded('tag', 'blue')] }],
  [coded('identifier', 'I-7')],
  [coded('status', 'final'), missing('day', true)],
  ...['day', 'status', 'tag', 'size', 'nothing'].flatMap((param) => [[missing(param, true)], [missing(param, false)]]),
]

/** The entries of the stored resources, by number. */
type Stored = ReadonlyMap<number, readonly IndexEntry[]>

function holds(condition: Condition, entries: readonly IndexEntry[]): boolean {
  switch (condition.kind) {
    case 'any':
      return condition.of.some((one) => holds(one, entries))
    case 'not':
      return !holds(condition.of, entries)
    case 'missing':
      return entries.some(({ param }) => param === condition.param) !== condition.missing
    case 'token':
      return entries.some(
        (entry) =>
          entry.kind === 'token' &&
          entry.param === condition.param &&
          entry.code === condition.code &&
          (condition.system === undefined || entry.system === condition.system),
      )
    default:
      throw new Error(`The test does not know ${condition.kind}`)
  }
}

async function compare(clinic: Clinic, type: string, stored: Stored): Promise<void> {
  for (const where of CONDITIONS) {
    const expected = [...stored].filter(([, entries]) => where.every((one) => holds(one, entries)))
    const { total } = await clinic.search(type, { where, count: 0, total: 'accurate' })
    expect([where, total]).toEqual([where, expected.length])
    const page = await clinic.search(type, { where, count: 5_000 })
    expect([where, ids(page.matches).toSorted()]).toEqual([where, expected.map(([n]) => String(n)).toSorted()])
  }
}

/** Replaces or creates the resource; without entries, deletes it where it is there. */
async function changeOne(
  clinic: Clinic,
  stored: Map<number, readonly IndexEntry[]>,
  n: number,
  entries: readonly IndexEntry[] | undefined,
): Promise<void> {
  if (entries !== undefined) {
    await clinic.put(`Basic/${n}`, entries)
    stored.set(n, entries)
  } else if (stored.delete(n)) await clinic.delete(`Basic/${n}`)
}

describe('totals are right', () => {
  test('of two types and two clinics whose resources are in the same blocks', async () => {
    const store = await open()
    const [north, south] = [new Clinic(store, 'north'), new Clinic(store, 'south')]
    const count = 2 * ROWS_OF_BLOCK
    for (let start = 0; start < count; start += 256) {
      for (const [clinic, every] of [
        [north, 1],
        [south, 2],
      ] as const) {
        const numbers = Array.from({ length: 256 }, (_, index) => start + index).filter((n) => n % every === 0)
        await clinic.write(
          ...numbers.flatMap((n) => [
            clinic.change(`Basic/${n}`, entriesOf(n)),
            clinic.change(`Task/${n}`, entriesOf(2 * n)),
          ]),
        )
      }
    }
    const all = Array.from({ length: count }, (_, n) => n)
    await compare(north, 'Basic', new Map(all.map((n) => [n, entriesOf(n)])))
    await compare(north, 'Task', new Map(all.map((n) => [n, entriesOf(2 * n)])))
    await compare(south, 'Basic', new Map(all.filter((n) => n % 2 === 0).map((n) => [n, entriesOf(n)])))
  })

  test('after random changes of resources whose block was counted', async () => {
    const change = fc.record({
      n: fc.integer({ min: 0, max: 2 * ROWS_OF_BLOCK }),
      as: fc.option(fc.integer({ min: 0, max: 600 }), { nil: undefined }),
    })
    const property = fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 60 }), async (changes) => {
      const clinic = new Clinic(await open(), 'c')
      const count = 2 * ROWS_OF_BLOCK + 100
      await fill(clinic, 'Basic', count)
      const stored = new Map(Array.from({ length: count }, (_, n) => [n, entriesOf(n)] as const))
      for (const { n, as } of changes) await changeOne(clinic, stored, n, as === undefined ? undefined : entriesOf(as))
      await compare(clinic, 'Basic', stored)
    })
    await fc.assert(property, { numRuns: 4 })
  })

  test('of a code that gets a second system, and of a target that is stored after its block was counted', async () => {
    const clinic = new Clinic(await open(), 'c')
    await clinic.put('Basic/first', [reference('subject', 'Task/later'), string('name', 'x')])
    await fill(clinic, 'Basic', ROWS_OF_BLOCK)
    await clinic.put('Basic/5', [token('status', 'draft', 'urn:other')])
    await clinic.put('Task/later', [token('status', 'draft', 'urn:status')])
    const totalOf = async (type: string, where: readonly Condition[]) =>
      (await clinic.search(type, { where, count: 0, total: 'accurate' })).total
    const drafts = Array.from({ length: ROWS_OF_BLOCK }, (_, n) => n).filter((n) => n % 3 !== 0 && n !== 5).length
    expect(await totalOf('Basic', [coded('status', 'draft', 'urn:status')])).toBe(drafts)
    expect(await totalOf('Basic', [coded('status', 'draft')])).toBe(drafts + 1)
    expect(await totalOf('Basic', [coded('status', 'draft', 'urn:other')])).toBe(1)
    expect(await totalOf('Task', [])).toBe(1)
    expect(await totalOf('Task', [missing('status', true)])).toBe(0)
  })

  test('of what resources contain, after their containers have changed', async () => {
    const clinic = new Clinic(await open(), 'c')
    const address = (n: number): string => `DiagnosticReport/${n}`
    const contained = (n: number, status?: string): readonly IndexEntry[] =>
      status === undefined ? [] : inner('_contained', '#Observation', `${address(n)}#o`, [token('status', status)])
    const count = 2 * ROWS_OF_BLOCK
    const statuses = new Map(Array.from({ length: count }, (_, n) => [n, n % 3 === 0 ? 'final' : 'draft'] as const))
    await clinic.fill(count, (n) => clinic.change(address(n), contained(n, statuses.get(n))))
    const totalOf = async (where: readonly Condition[]) =>
      (await clinic.search('#Observation', { where, count: 0, total: 'accurate' })).total
    const check = async () => {
      const found = [...statuses.values()]
      expect(await totalOf([])).toBe(found.length)
      expect(await totalOf([missing('status', false)])).toBe(found.length)
      for (const status of ['final', 'draft']) {
        expect(await totalOf([coded('status', status)])).toBe(found.filter((one) => one === status).length)
      }
    }
    await check()
    for (const n of [3, 4, 5]) {
      await clinic.put(address(n))
      statuses.delete(n)
    }
    await clinic.delete(address(6))
    statuses.delete(6)
    await clinic.put(address(7), contained(7, 'final'))
    await clinic.put(address(9), contained(9, 'draft'))
    statuses.set(7, 'final').set(9, 'draft')
    await check()
    await clinic.put(address(3), contained(3, 'draft'))
    statuses.set(3, 'draft')
    await check()
  })
})

describe('how many rows are visited does not grow with the data', () => {
  let visit: jest.SpiedFunction<VisitedRows['visit']>
  beforeEach(() => {
    visit = jest.spyOn(VisitedRows.prototype, 'visit')
  })
  afterEach(() => {
    visit.mockRestore()
  })

  test.each([
    ['an accurate total of a frequent code', [coded('status', 'final')]],
    ['an accurate total of all', []],
    ['a missing value that none lacks', [missing('status', true)]],
    ['the total of those that have it', [missing('status', false)]],
  ] as const)('for %s', async (_, where) => {
    const clinic = new Clinic(await open(), 'c')
    const visits: number[] = []
    for (const blocks of [2, 6]) {
      await fill(clinic, blocks === 2 ? 'Basic' : 'Task', blocks * ROWS_OF_BLOCK)
      visit.mockClear()
      await clinic.search(blocks === 2 ? 'Basic' : 'Task', { where, count: 10, total: 'accurate' })
      visits.push(visit.mock.calls.length)
    }
    for (const visited of visits) expect(visited).toBeLessThan(2 * ROWS_OF_BLOCK)
  })

  test('for the few that lack a value, but with the blocks they are in', async () => {
    const clinic = new Clinic(await open(), 'c')
    const complete = (n: number): readonly IndexEntry[] => (n === 3_000 ? [] : [date('day', n)])
    await clinic.fill(8 * ROWS_OF_BLOCK, (n) => clinic.change(`Basic/${n}`, complete(n)))
    visit.mockClear()
    const found = await clinic.search('Basic', { where: [missing('day', true)], count: 10 })
    expect(ids(found.matches)).toEqual(['3000'])
    expect(visit.mock.calls.length).toBeLessThan(4 * ROWS_OF_BLOCK)
  }, 30_000)
})
