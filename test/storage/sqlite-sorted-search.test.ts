/** Searches by the parameter that they are sorted by, where not every value of it can be sorted by. */
import { expect, test } from '@jest/globals'
import type { Condition, IndexEntry, SortKey } from '../../src/search/plan.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { closeLater } from '../support/opened-stores.ts'
import { Clinic, ids, reference, string } from './fixtures.ts'

/** With so few candidates that indexes are walked in their order. */
async function newClinic(entriesOf: Readonly<Record<string, readonly IndexEntry[]>>): Promise<Clinic> {
  const clinic = new Clinic(
    closeLater(await openSqliteStore({ path: ':memory:', combined: [], fewCandidates: 0 })),
    'c',
  )
  for (const id of ['a', 'b']) await clinic.put(`Patient/${id}`, [])
  for (const [id, entries] of Object.entries(entriesOf)) await clinic.put(`Basic/${id}`, entries)
  return clinic
}

const has = (param: string): readonly Condition[] => [{ kind: 'missing', param, missing: false }]

async function found(clinic: Clinic, where: readonly Condition[], sort: SortKey): Promise<readonly string[]> {
  const pages = await clinic.pages('Basic', { where, sort: [sort], count: 1 })
  expect(ids((await clinic.search('Basic', { where, sort: [sort], count: 10 })).matches)).toEqual(pages.flat())
  return pages.flat()
}

test.each([
  [false, ['1', '2', '3', '4']],
  [true, ['2', '1', '4', '3']],
])(
  'a text of which nothing is left to sort by comes last, not never (descending: %s)',
  async (descending, expected) => {
    const texts = {
      '1': [string('s', 'Ann')],
      '2': [string('s', 'Bea')],
      '3': [string('s', '--')],
      '4': [string('s', '-')],
    }
    const clinic = await newClinic({ ...texts, none: [] })
    expect(await found(clinic, has('s'), { by: 'string', param: 's', descending })).toEqual(expected)
    const exact: Condition = { kind: 'string', param: 's', match: 'exact', value: '--' }
    expect(await found(clinic, [exact], { by: 'string', param: 's', descending })).toEqual(['3'])
  },
)

test.each([
  [false, ['1', '2', '4', '3']],
  [true, ['4', '2', '1', '3']],
])('what refers to something elsewhere comes last, not never (descending: %s)', async (descending, expected) => {
  const clinic = await newClinic({
    '1': [reference('r', 'Patient/a')],
    '2': [reference('r', 'Patient/b')],
    '3': [{ kind: 'reference', param: 'r', type: '', id: 'http://elsewhere.example/1' }],
    '4': [reference('r', 'Patient/missing')],
    none: [],
  })
  const sort: SortKey = { by: 'reference', param: 'r', descending, targets: ['Patient'] }
  expect(await found(clinic, has('r'), sort)).toEqual(expected)
  const elsewhere: Condition = { kind: 'reference', param: 'r', type: '', id: 'http://elsewhere.example/1' }
  expect(await found(clinic, [elsewhere], sort)).toEqual(['3'])
})
