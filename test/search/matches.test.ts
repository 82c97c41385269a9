/** Conditions on resources that are in memory mean what src/search/plan.ts says, as in every store. */
import { describe, expect, test } from '@jest/globals'
import { type Candidate, holds } from '../../src/search/matches.ts'
import type { Condition } from '../../src/search/plan.ts'

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
  [false, { kind: 'uri', param: 'url', match: 'above', value: 'http://x.org/a/bc' }],
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
    expect(holds(condition, definition)).toBe(expected)
    expect(holds({ kind: 'not', of: condition }, definition)).toBe(!expected)
    const never: Condition = { kind: 'any', of: [] }
    expect(holds({ kind: 'any', of: [never, condition] }, definition)).toBe(expected)
    expect(holds({ kind: 'all', of: [never, condition] }, definition)).toBe(false)
  })

  test('is not found by what another resource has', () => {
    const where: Condition = { kind: 'missing', param: 'name', missing: true }
    expect(holds({ kind: 'chain', param: 'base', types: ['OperationDefinition'], where }, definition)).toBe(false)
    expect(holds({ kind: 'has', type: 'Patient', param: 'base', where }, definition)).toBe(false)
  })
})
