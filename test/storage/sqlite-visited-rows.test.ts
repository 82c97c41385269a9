/** The number of rows that the embedded engine visits for a search: at most in proportion to the stored resources. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { BudgetError } from '../../src/isolation/budget.ts'
import type { Condition, IndexEntry, SearchPlan } from '../../src/search/plan.ts'
import { VisitedRows } from '../../src/storage/sqlite/connection.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { closeLater } from '../support/opened-stores.ts'
import { Clinic, date, reference, string, token } from './fixtures.ts'

let visit: jest.SpiedFunction<VisitedRows['visit']>
/** The rows of slices are counted all together. */
let visitAll: jest.SpiedFunction<VisitedRows['visitAll']>
beforeEach(() => {
  visit = jest.spyOn(VisitedRows.prototype, 'visit')
  visitAll = jest.spyOn(VisitedRows.prototype, 'visitAll')
})
afterEach(() => {
  visit.mockRestore()
  visitAll.mockRestore()
})

async function visitsOf(work: () => Promise<unknown>): Promise<number> {
  visit.mockClear()
  visitAll.mockClear()
  await work()
  return visit.mock.calls.length + visitAll.mock.calls.reduce((sum, [rows]) => sum + rows, 0)
}

const AT_ONCE = 1_000

async function clinicOf(
  resources: readonly (readonly [address: string, entries: readonly IndexEntry[]])[],
  fewCandidates?: number,
): Promise<Clinic> {
  const options = fewCandidates === undefined ? {} : { fewCandidates }
  const clinic = new Clinic(closeLater(await openSqliteStore({ path: ':memory:', combined: [], ...options })), 'c')
  for (let start = 0; start < resources.length; start += AT_ONCE) {
    const batch = resources.slice(start, start + AT_ONCE)
    await clinic.write(...batch.map(([address, entries]) => clinic.change(address, entries)))
  }
  return clinic
}

/** Observations of one and the same Patient, and as many Patients with one each. */
const observations = (number: number, fewCandidates?: number): Promise<Clinic> =>
  clinicOf(
    [
      ['Patient/p', [string('name', 'Amelia'), token('gender', 'female')]],
      ...Array.from({ length: number }, (_, n) => [`Patient/${n}`, [string('name', `Name ${n}`)]] as const),
      ...Array.from({ length: number }, (_, n) => {
        return [
          `Observation/${n}`,
          [reference('subject', 'Patient/p'), token('code', n % 2 === 0 ? 'a' : 'b')],
        ] as const
      }),
      ...Array.from({ length: number }, (_, n) => {
        return [`Observation/of-${n}`, [reference('subject', `Patient/${n}`), token('code', 'c')]] as const
      }),
    ],
    fewCandidates,
  )

const code = (value: string): Condition => ({ kind: 'token', param: 'code', code: value })
const containing = (value: string): Condition => ({ kind: 'string', param: 'name', match: 'contains', value })
const ofPatient = (where: Condition): Condition => ({ kind: 'chain', param: 'subject', types: ['Patient'], where })
const having = (where: Condition): Condition => ({ kind: 'has', type: 'Observation', param: 'subject', where })
const not = (of: Condition): Condition => ({ kind: 'not', of })
const any = (of: readonly Condition[]): Condition => ({ kind: 'any', of })
const missing: Condition = { kind: 'missing', param: 'gender', missing: true }

/** With the number of times that an index row may be visited. */
const SEARCHES: readonly (readonly [name: string, type: string, where: readonly Condition[], times: number])[] = [
  ['a chain to what the same resources refer to', 'Observation', [ofPatient(having(code('a')))], 12],
  ['the same without a match', 'Observation', [ofPatient(having(code('none')))], 12],
  ['four in each other', 'Observation', [ofPatient(having(ofPatient(having(code('a')))))], 16],
  ['six in each other', 'Observation', [ofPatient(having(ofPatient(having(ofPatient(having(code('b')))))))], 20],
  ['negated', 'Observation', [not(ofPatient(having(not(code('a')))))], 16],
  ['a missing value of what is referred to', 'Observation', [ofPatient(missing)], 12],
  [
    'sixty tests of what is referred to',
    'Observation',
    [any(Array.from({ length: 60 }, (_, n) => ofPatient(containing(`z${n}`))))],
    12,
  ],
  ['the same test twenty times', 'Observation', Array.from({ length: 20 }, () => ofPatient(containing('am'))), 12],
  [
    'two hundred values that no index finds',
    'Patient',
    [any(Array.from({ length: 200 }, (_, n) => containing(`z${n}`)))],
    6,
  ],
  [
    'the same condition in ten places',
    'Patient',
    Array.from({ length: 10 }, (_, n) => any([having(ofPatient(containing('am'))), containing(`z${n}`)])),
    30,
  ],
]

describe('twice the data means at most about twice the rows', () => {
  const counted: Partial<SearchPlan> = { total: 'accurate', count: 10 }

  test.each(SEARCHES)('for %s', async (_, type, where, times) => {
    const [one, two] = [await observations(500, 0), await observations(1_000, 0)]
    const visits = await visitsOf(() => one.search(type, { where, ...counted }))
    expect(visits).toBeLessThanOrEqual(times * 2_000)
    expect(await visitsOf(() => two.search(type, { where, ...counted }))).toBeLessThanOrEqual(2.1 * visits + 100)
  })

  test('where each resource is tested at first, since few are, before sets turn out to be less', async () => {
    const clinic = await observations(3_000)
    for (const [, type, where, times] of SEARCHES) {
      const visits = await visitsOf(() => clinic.search(type, { where, ...counted }))
      expect(visits).toBeLessThanOrEqual(100_000 + times * 12_000)
    }
  })
})

test('a page that is full soon visits few rows, whatever else there is', async () => {
  const clinic = await observations(3_000)
  const where = [ofPatient(containing('am'))]
  expect(await visitsOf(() => clinic.search('Observation', { where, count: 10 }))).toBeLessThan(1_000)
  const one: readonly Condition[] = [{ kind: 'id', ids: ['17'] }, ofPatient(having(code('a')))]
  expect(await visitsOf(() => clinic.search('Observation', { where: one, count: 10 }))).toBeLessThan(100)
})

describe('a page in order of time, of those since a time that are alike', () => {
  const since: SearchPlan['where'] = [code('a'), { kind: 'date', param: 'date', bounds: { lowMin: 1_000 } }]
  const inOrder: Partial<SearchPlan> = { where: since, sort: [{ by: 'date', param: 'date', descending: false }] }
  const days = Array.from(
    { length: 6_000 },
    (_, n) => [`Observation/${n}`, [token('code', n % 2 === 0 ? 'a' : 'b'), date('date', n)]] as const,
  )

  test('visits little more than its own rows, though very many are alike', async () => {
    const clinic = await clinicOf(days, 1_000)
    expect(await visitsOf(() => clinic.search('Observation', { ...inOrder, count: 20 }))).toBeLessThan(300)
  })

  test('does not visit those of the pages before it', async () => {
    const clinic = await clinicOf(days, 1_000)
    const { next: after = '' } = await clinic.search('Observation', { ...inOrder, count: 2_000 })
    expect(await visitsOf(() => clinic.search('Observation', { ...inOrder, count: 20, after }))).toBeLessThan(300)
  })

  test('does not look for those without a time where there are no more', async () => {
    const clinic = await clinicOf(days, 1_000)
    const where: SearchPlan['where'] = [code('a'), { kind: 'date', param: 'date', bounds: { lowMin: 3_000 } }]
    expect(await visitsOf(() => clinic.search('Observation', { ...inOrder, where, count: 1_600 }))).toBeLessThan(3_600)
  })
})

test('a search that is too dear is refused before it runs, naming the reference', async () => {
  const clinic = await observations(3_000, 0)
  const where = [having(any(Array.from({ length: 8_000 }, (_, n) => containing(`z${n}`))))]
  // No Observation has a name yet.
  await clinic.put('Observation/named', [string('name', 'x')])
  const refused = clinic.search('Patient', { where })
  await expect(refused).rejects.toBeInstanceOf(BudgetError)
  await expect(refused).rejects.toThrow(/condition on Observation by the reference 'subject'/)
})

describe('a resource with very many values', () => {
  const MANY = 10_000
  const PATIENTS = 300
  const DAY = 86_400_000
  const family = (n: number) => [
    string('family', `Family ${1_000 + n}`),
    date('period', n * DAY, (n + 1) * DAY),
    token('gender', 'female'),
  ]
  const hostile = Array.from({ length: MANY }, (_, n) => [
    string('family', `Zz ${n}`),
    string('family', `Aa ${n}`),
    // Each begins later and ends earlier than the one before.
    date('period', n * DAY, (3 * MANY - n) * DAY),
    date('period', -n * DAY),
  ]).flat()

  test.each([
    ['family', 'string', false],
    ['family', 'string', true],
    ['period', 'date', false],
    ['period', 'date', true],
  ] as const)('does not make a page sorted by %s (%s, descending: %s) long', async (param, by, descending) => {
    const clinic = await clinicOf([
      ...Array.from({ length: PATIENTS }, (_, n) => [`Patient/${n}`, family(n)] as const),
      ['Patient/hostile', hostile],
      ['Patient/none', [token('gender', 'female')]],
    ])
    for (const where of [[], [{ kind: 'token', param: 'gender', code: 'female' } as const]]) {
      for (const sort of [
        [{ by, param, descending }],
        [{ by, param, descending }, { by: 'id', descending } as const],
      ]) {
        const search = () => clinic.search('Patient', { sort, where, count: 20 })
        expect(await visitsOf(search)).toBeLessThan(20_000)
        expect((await search()).matches[0]?.id).toBe(where.length > 0 ? (descending ? '299' : '0') : 'hostile')
      }
    }
  })
})

test('all that refers to a match is included by going over the references once', async () => {
  const clinic = await observations(1_000)
  const types = ['Observation', 'Encounter', 'Condition', 'Procedure', 'Immunization', 'Patient', 'Appointment']
  const include = types.map((source) => ({ source, param: '*', reverse: true, iterate: false }))
  const where: readonly Condition[] = [{ kind: 'id', ids: ['p'] }]
  const search = () => clinic.search('Patient', { where, include, includeLimit: 2_000 })
  expect((await search()).included).toHaveLength(1_000)
  expect(await visitsOf(search)).toBeLessThan(1_100)
})
