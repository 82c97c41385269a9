/** The table of weights is sound: likelihoods of exclusive levels, by which no agreement counts against a match. */
import { describe, expect, test } from '@jest/globals'
import { type Likelihood, WEIGHTS } from '../../src/matching/score.ts'

/** Levels that are another case of the field, with likelihoods of its own: a date or an identifier that is known in part. */
const OTHER_CASES: Readonly<Record<string, string>> = { birthDate: 'partial', identifier: 'same, without system' }

/** Levels that say neither that the field agrees nor that it does not. */
const UNDECIDED = new Set(['similar', 'part', 'differ'])

const FIELDS = Object.entries(WEIGHTS).map(([field, levels]) => [field, Object.entries<Likelihood>(levels)] as const)
const ROWS = FIELDS.flatMap(([field, levels]) => levels.map(([level, row]) => [field, level, row] as const))

test.each(ROWS)('%s %s: probabilities', (_field, _level, { m, u, household }) => {
  for (const one of [m, u, household]) {
    expect(one).toBeGreaterThan(0)
    expect(one).toBeLessThanOrEqual(1)
  }
})

describe('the levels of a field are all that can be', () => {
  test.each(FIELDS.filter(([field]) => field !== 'order'))('%s', (field, levels) => {
    const rows = levels.flatMap(([level, row]) => (OTHER_CASES[field] === level ? [] : [row]))
    for (const column of ['m', 'u', 'household'] as const) {
      const sum = rows.reduce((total, row) => total + row[column], 0)
      expect([column, Math.abs(sum - 1) <= 0.05]).toEqual([column, true])
    }
  })
})

test.each(ROWS.filter(([field, level]) => field !== 'order' && !UNDECIDED.has(level)))(
  '%s %s is likelier for one person than for two, also of one household',
  (_field, _level, { m, u, household }) => {
    expect(m).toBeGreaterThanOrEqual(u)
    expect(m).toBeGreaterThanOrEqual(household)
  },
)

test.each(ROWS.filter(([, level]) => level === 'differ'))(
  '%s %s is likelier for two people than for one',
  (_field, _level, { m, u, household }) => {
    expect(m).toBeLessThan(u)
    expect(m).toBeLessThan(household)
  },
)

test.each(FIELDS)('the levels of %s come from the most to the least telling', (field, levels) => {
  const bits = levels.filter(([level]) => OTHER_CASES[field] !== level).map(([, { m, u }]) => Math.log2(m / u))
  expect(bits).toEqual(bits.toSorted((a, b) => b - a))
})
