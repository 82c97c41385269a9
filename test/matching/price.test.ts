/** The cost of comparing patients, and how much of a Patient is compared. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { compare } from '../../src/matching/compare.ts'
import { demographicsOf } from '../../src/matching/demographics.ts'
import { askedKeys, storedKeys } from '../../src/matching/keys.ts'
import { bitsOf } from '../../src/matching/score.ts'
import { stepsOf } from '../support/steps.ts'
import { levels, patient, UNKNOWN } from './demographics.ts'

const MRN = 'http://example.org/mrn'

/** `count` values of each element; the last name is `last`. */
const crowded = (count: number, last = 'Last'): Patient =>
  patient({
    name: Array.from({ length: count }, (_, index) =>
      index === count - 1 ? { family: last } : { family: `Family${index}`, given: [`Given${index}`, 'Middle'] },
    ),
    telecom: Array.from({ length: count }, (_, index) => ({ system: 'phone', value: `+1212555${1_000 + index}` })),
    address: Array.from({ length: count }, (_, index) => ({ line: [`${index} Long Street`], postalCode: `${index}` })),
    identifier: Array.from({ length: count }, (_, index) => ({ system: MRN, value: `${1_000 + index}` })),
  })

const costOf = (one: Patient, other: Patient): number => {
  const [mine, theirs] = [demographicsOf(one), demographicsOf(other)]
  return stepsOf(() => compare(mine, theirs, (evidence) => bitsOf(evidence, UNKNOWN)))
}

describe('a comparison has an end, whatever is stored', () => {
  test('of ten thousand names it costs what it costs of twenty-five', () => {
    const asked = crowded(25)
    expect(costOf(asked, crowded(10_000))).toBeLessThan(2 * costOf(asked, crowded(50)))
    expect(costOf(asked, crowded(10_000))).toBeLessThan(10_000)
  })

  test('of two ordinary patients it costs little', () => {
    expect(costOf(crowded(2), crowded(2))).toBeLessThan(100)
  })

  test.each([
    [25, 'same'],
    [26, 'differ'],
  ] as const)('the name in place %d of a record: %s', (count, family) => {
    expect(levels({ name: [{ family: 'Onlyhere' }] }, crowded(count, 'Onlyhere'))).toEqual({ family })
  })

  test.each([
    [50, 'same'],
    [51, 'differ'],
  ] as const)('the identifier in place %d of a record: %s', (count, identifier) => {
    const last = { system: MRN, value: 'Only-here' }
    const others = Array.from({ length: count - 1 }, (_, index) => ({ system: MRN, value: `A-${1_000 + index}` }))
    expect(levels({ identifier: [last] }, { identifier: [...others, last] })).toEqual({ identifier })
  })

  test('texts are compared by their first 250 characters', () => {
    const [one, other] = ['a', 'b'].map((end) => ({ name: [{ family: `${'x'.repeat(250)}${end}` }] }))
    expect(levels(one ?? {}, other ?? {})).toEqual({ family: 'same' })
  })
})

describe('a Patient has few keys', () => {
  test('two hundred at most, whatever it holds', () => {
    expect(storedKeys(crowded(10_000))).toHaveLength(200)
    const asked = Object.values(askedKeys(demographicsOf(crowded(10_000))))
    expect(Math.max(...asked.map((keys) => keys.length))).toBeLessThanOrEqual(200)
  })

  test('those of its names are among them however many identifiers and addresses it has', () => {
    const asked = askedKeys(demographicsOf(patient({ name: [{ family: 'Onlyhere', given: ['Ruth'] }] })))
    const { name: _none, ...rest } = crowded(10_000)
    const known = storedKeys({ ...rest, name: [{ family: 'Onlyhere', given: ['Ruth'] }] })
    expect([...asked.family, ...asked.given].filter((key) => known.some((one) => one.startsWith(key)))).not.toEqual([])
  })

  test('an ordinary one has some thirty', () => {
    const ordinary = patient({
      name: [{ family: 'Abernathy', given: ['Ruth', 'Ann'] }],
      birthDate: '1980-03-04',
      telecom: [
        { system: 'phone', value: '+12125550123' },
        { system: 'email', value: 'ruth@example.com' },
      ],
      address: [{ line: ['12 Elm Street'], postalCode: '12203', city: 'Albany' }],
      identifier: [{ system: MRN, value: 'MRN-0012' }],
    })
    expect(storedKeys(ordinary).length).toBeLessThan(30)
  })

  test('a text that is cut within a character still has keys that can be stored', () => {
    const keys = storedKeys(patient({ name: [{ family: `${'x'.repeat(249)}😀`, given: ['y'] }] }))
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.every((key) => key.isWellFormed())).toBe(true)
  })
})
