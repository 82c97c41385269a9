/** Conditions on resources that are in memory mean what src/search/plan.ts says, as in every store. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Candidate, matches } from '../../src/search/matches.ts'
import type { Condition, IndexEntry } from '../../src/search/plan.ts'
import { Population } from '../storage/naive/population.ts'
import { conditions, entries, ids, numbers, types, valueConditions } from '../storage/random.ts'

const definition: Candidate = {
  type: 'OperationDefinition',
  id: 'patient-match',
  lastUpdated: 1000,
  entries: [
    { kind: 'uri', param: 'url', value: 'http://x.org/a/b' },
    { kind: 'string', param: 'name', folded: 'ann marie', exact: 'Ann-Marie' },
    { kind: 'token', param: 'code', system: 'urn:s', code: 'match' },
    { kind: 'reference', param: 'base', type: '', id: 'http://x.org/base', version: '2' },
    { kind: 'quantity', param: 'size', low: 5, high: 6, system: 'urn:u', code: 'kg' },
  ],
}

const table: readonly (readonly [boolean, Condition])[] = [
  [true, { kind: 'id', ids: ['other', 'patient-match'] }],
  [false, { kind: 'id', ids: ['other'] }],
  [true, { kind: 'type', types: ['Patient', 'OperationDefinition'] }],
  [false, { kind: 'type', types: ['Patient'] }],
  [true, { kind: 'lastUpdated', bounds: { lowMin: 1000, lowMax: 1000 } }],
  [false, { kind: 'lastUpdated', bounds: { lowMin: 1001 } }],
  [true, { kind: 'uri', param: 'url', match: 'exact', value: 'http://x.org/a/b' }],
  [true, { kind: 'uri', param: 'url', match: 'below', value: 'http://x.org/a' }],
  [false, { kind: 'uri', param: 'url', match: 'below', value: 'http://x.org/a/b/c' }],
  [true, { kind: 'uri', param: 'url', match: 'above', value: 'http://x.org/a/b/c' }],
  [true, { kind: 'uri', param: 'url', match: 'above', value: 'http://x.org/a/bc' }],
  [false, { kind: 'uri', param: 'url', match: 'above', value: 'http://x.org/a' }],
  [true, { kind: 'string', param: 'name', match: 'prefix', value: 'ann' }],
  [false, { kind: 'string', param: 'name', match: 'prefix', value: 'marie' }],
  [true, { kind: 'string', param: 'name', match: 'contains', value: 'marie' }],
  [true, { kind: 'string', param: 'name', match: 'exact', value: 'Ann-Marie' }],
  [true, { kind: 'token', param: 'code', code: 'match' }],
  [true, { kind: 'token', param: 'code', system: 'urn:s' }],
  [false, { kind: 'token', param: 'code', system: '', code: 'match' }],
  [true, { kind: 'reference', param: 'base', id: 'http://x.org/base' }],
  [true, { kind: 'reference', param: 'base', type: '', id: 'http://x.org/base', version: '2' }],
  [false, { kind: 'reference', param: 'base', id: 'http://x.org/base', version: '1' }],
  [true, { kind: 'quantity', param: 'size', bounds: { lowMin: 5, highMax: 6 }, system: 'urn:u', code: 'kg' }],
  [false, { kind: 'quantity', param: 'size', bounds: { lowMin: 5, highMax: 6 }, code: 'g' }],
  [true, { kind: 'missing', param: 'version', missing: true }],
  [false, { kind: 'missing', param: 'code', missing: true }],
]

describe('a resource in memory', () => {
  test.each(table)('%p for %j', (expected, condition) => {
    expect(matches(condition, definition)).toBe(expected)
    expect(matches({ kind: 'not', of: condition }, definition)).toBe(!expected)
    const never: Condition = { kind: 'any', of: [] }
    expect(matches({ kind: 'any', of: [never, condition] }, definition)).toBe(expected)
    expect(matches({ kind: 'all', of: [never, condition] }, definition)).toBe(false)
  })

  test('is not found by what another resource has', () => {
    const where: Condition = { kind: 'missing', param: 'name', missing: true }
    expect(matches({ kind: 'chain', param: 'base', types: ['OperationDefinition'], where }, definition)).toBe(false)
    expect(matches({ kind: 'has', type: 'Patient', param: 'base', where }, definition)).toBe(false)
  })

  test.each<readonly [boolean, string, Condition]>([
    [true, 'medication', { kind: 'token', param: 'code', code: 'a' }],
    [false, 'medication', { kind: 'token', param: 'code', code: 'b' }],
    [true, 'medication', { kind: 'id', ids: ['m1'] }],
    [true, 'medication', { kind: 'type', types: ['Medication'] }],
    [true, 'medication', { kind: 'chain', param: 'maker', types: ['Organization'], where: { kind: 'id', ids: ['o'] } }],
    [false, 'reason', { kind: 'all', of: [] }],
  ])('%s for a chain by %s into what it contains, where %j', (expected, param, where) => {
    const contained = (type: string, id: string, entries: readonly IndexEntry[]): readonly IndexEntry[] => [
      { kind: 'inner', param: '_contained', type, id: `MedicationRequest/1#${id}`, entries: [...entries, idOf(id)] },
    ]
    const refers = (by: string, type: string, id: string): IndexEntry => ({
      kind: 'reference',
      param: by,
      type,
      id: `MedicationRequest/1#${id}`,
    })
    const idOf = (value: string): IndexEntry => ({ kind: 'uri', param: '_id', value })
    const code: IndexEntry = { kind: 'token', param: 'code', system: '', code: 'a' }
    const request: Candidate = {
      type: 'MedicationRequest',
      id: '1',
      lastUpdated: 1000,
      entries: [
        refers('medication', '#Medication', 'm1'),
        ...contained('#Medication', 'm1', [code, refers('maker', '#Organization', 'o')]),
        ...contained('#Organization', 'o', []),
      ],
    }
    expect(matches({ kind: 'chain', param, types: ['Medication'], where }, request)).toBe(expected)
  })

  const candidates = fc.record({ type: types, id: ids, lastUpdated: numbers, entries }).map(withoutSelfReferences)
  test.each([...Object.entries(valueConditions), ['any kind', conditions] as const])(
    'matches a random condition on %s exactly where the naive store finds it',
    (_, arbitrary) => {
      const lists = fc.array(arbitrary, { minLength: 20, maxLength: 20 })
      const property = fc.property(candidates, lists, (candidate, list) => {
        const member = { ...candidate, version: 1 }
        const population = new Population([member])
        for (const condition of list) {
          const isFound = population.fulfilling(condition).has(member)
          expect({ condition, matches: matches(condition, candidate) }).toEqual({ condition, matches: isFound })
        }
      })
      fc.assert(property, { numRuns: 200 })
    },
  )
})

/** A resource that refers to itself would be found by a chain in a population; `matches` does not follow references. */
function withoutSelfReferences(candidate: Candidate): Candidate {
  const isSelf = (entry: IndexEntry) =>
    entry.kind === 'reference' &&
    (entry.param === '_canonical' || (entry.type === candidate.type && entry.id === candidate.id))
  return { ...candidate, entries: candidate.entries.filter((entry) => !isSelf(entry)) }
}
