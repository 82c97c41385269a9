/** What comparing patients costs a request, and how much of a Patient is compared. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { candidateQueries } from '../../src/matching/candidates.ts'
import { compare } from '../../src/matching/compare.ts'
import { stepsOf } from '../support/steps.ts'

const patient = (more: Partial<Patient>): Patient => ({ resourceType: 'Patient', ...more })

/** `count` values of each element, the last of which is `last`. */
const crowded = (count: number, last = 'Last'): Patient =>
  patient({
    name: Array.from({ length: count }, (_, index) =>
      index === count - 1 ? { family: last } : { family: `Family${index}`, given: [`Given${index}`, 'Middle'] },
    ),
    telecom: Array.from({ length: count }, (_, index) => ({ system: 'phone', value: `+1212555${1_000 + index}` })),
    address: Array.from({ length: count }, (_, index) => ({ line: [`${index} Long Street`], postalCode: `${index}` })),
    identifier: Array.from({ length: count }, (_, index) => ({ system: 'http://example.org/mrn', value: `${index}` })),
  })

describe('a comparison has an end, whatever is stored', () => {
  test('of ten thousand names it costs what it costs of twenty-five', () => {
    const asked = crowded(25)
    const cost = (count: number) => stepsOf(() => compare(asked, crowded(count)))
    cost(10_000)
    expect(cost(10_000)).toBeLessThan(2 * cost(50))
    expect(cost(10_000)).toBeLessThan(10_000)
  })

  test('of two ordinary patients it costs little', () => {
    const one = crowded(2)
    compare(one, one)
    expect(stepsOf(() => compare(one, one))).toBeLessThan(100)
  })

  test.each<[number, string]>([
    [25, 'agree'],
    [26, 'differ'],
  ])('the name in place %d of a record: %s', (count, expected) => {
    const asked = patient({ name: [{ family: 'Onlyhere' }] })
    expect(compare(asked, crowded(count, 'Onlyhere')).family).toBe(expected)
  })

  test('any identifier of any number of them is found', () => {
    const asked = patient({ identifier: [{ system: 'http://example.org/mrn', value: '9999' }] })
    expect(compare(asked, crowded(10_000)).identifier).toBe('agree')
  })

  test('texts are compared by their first 250 characters', () => {
    const [one, other] = ['a', 'b'].map((end) => patient({ name: [{ family: `${'x'.repeat(250)}${end}` }] }))
    expect(compare(one ?? patient({}), other ?? patient({})).family).toBe('agree')
  })

  test('a text that is cut within a character can still be searched for', () => {
    const queries = candidateQueries(patient({ name: [{ family: `${'x'.repeat(249)}😀`, given: ['y'] }] }))
    expect(queries.length).toBeGreaterThan(0)
  })
})

test('candidates are looked for by a hundred queries at most', () => {
  expect(candidateQueries(crowded(25))).toHaveLength(100)
})
