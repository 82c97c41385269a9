/** A search in the words of its query string, without values. */
import { expect, test } from '@jest/globals'
import type { Condition, SearchPlan } from '../../src/search/plan.ts'
import { describeSearch } from '../../src/storage/describe-search.ts'

const name: Condition = { kind: 'string', param: 'name', match: 'contains', value: 'secret' }
const code: Condition = { kind: 'token', param: 'code', code: 'secret' }
const PLAN: SearchPlan = {
  clinic: 'c',
  types: ['Observation'],
  where: [],
  sort: [],
  count: 20,
  total: 'none',
  include: [],
  includeLimit: 100,
}

test.each<[string, Partial<SearchPlan>]>([
  ['Observation', {}],
  ['Observation?code', { where: [code, code] }],
  ['Observation?code:not', { where: [{ kind: 'not', of: code }] }],
  [
    'Observation?subject:Patient.name:contains',
    { where: [{ kind: 'chain', param: 'subject', types: ['Patient'], where: { kind: 'any', of: [name, name] } }] },
  ],
  [
    'Observation?_has:Observation:has-member:code&_sort=-date,_id&_total=accurate&_count=1000',
    {
      where: [{ kind: 'has', type: 'Observation', param: 'has-member', where: code }],
      sort: [
        { by: 'date', param: 'date', descending: true },
        { by: 'id', descending: false },
      ],
      total: 'accurate',
      count: 1000,
    },
  ],
  [
    '?_lastUpdated&_revinclude=Provenance:target',
    {
      types: ['A', 'B', 'C', 'D'],
      where: [{ kind: 'lastUpdated', bounds: {} }],
      include: [{ source: 'Provenance', param: 'target', reverse: true, iterate: false }],
    },
  ],
])('%s', (expected, plan) => {
  expect(describeSearch({ ...PLAN, ...plan })).toBe(expected)
})

test('a long one is cut', () => {
  const where = Array.from({ length: 100 }, (_, index): Condition => ({ ...name, param: `parameter-${index}` }))
  expect(describeSearch({ ...PLAN, where }).length).toBeLessThan(250)
})
