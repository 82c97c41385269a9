/** Weights and probabilities: the strength of evidence, and how competing candidates reduce it. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { contributionsOf, type Frequencies, probabilitiesOf, smoothed, weightOf } from '../../src/matching/score.ts'
import { compared, name, UNKNOWN } from './demographics.ts'

const HOME = { address: [{ line: ['12 Elm Street'], postalCode: '12203', city: 'Albany' }] }
const RUTH: Partial<Patient> = { name: [name('Ruth', 'Abernathy')], birthDate: '1980-03-04', ...HOME }

const weigh = (one: Partial<Patient>, other: Partial<Patient>, frequencies: Frequencies = UNKNOWN): number =>
  weightOf(compared(one, other, { frequencies }), frequencies)

const frequent = (part: number): Frequencies => ({ patients: 10_000, of: () => part })

describe('weights', () => {
  test('nothing in common to compare weighs nothing', () => {
    expect(weigh({ birthDate: '1980-03-04' }, { gender: 'male' })).toBeCloseTo(0, 9)
  })

  test('a name weighs the less the more patients have it, and never against a match', () => {
    const weights = [0.0001, 0.01, 0.5, 0.99, 1].map((part) => weigh({ name: RUTH.name ?? [] }, RUTH, frequent(part)))
    expect(weights).toEqual(weights.toSorted((a, b) => b - a))
    expect(weights.at(-1)).toBeGreaterThanOrEqual(-1e-9)
  })

  test('what a household shares weighs no more than that it is the household', () => {
    const john = { ...HOME, name: [name('John', 'Abernathy')], birthDate: '1978-11-20' }
    const shared = weigh({ ...RUTH, telecom: [] }, john)
    const phone: Partial<Patient> = { telecom: [{ system: 'phone', value: '+15185550142' }] }
    const strangers = Math.log(0.7 / 0.000001)
    expect(weigh({ ...RUTH, ...phone }, { ...john, ...phone }) - shared).toBeLessThan(strangers / 4)
    expect(weigh({ ...RUTH, ...phone }, { ...RUTH, ...phone })).toBeGreaterThan(10)
  })

  test.each<[string, Partial<Patient>]>([
    ['another birth date', { ...RUTH, birthDate: '1955-12-30' }],
    ['another given name', { ...RUTH, name: [name('Walter', 'Abernathy')] }],
    ['another gender', { ...RUTH, gender: 'male' }],
    ['another address', { ...RUTH, address: [{ line: ['7 Oak Lane'], postalCode: '90210', city: 'Fresno' }] }],
  ])('%s lowers the weight', (_what, other) => {
    const asked: Partial<Patient> = { ...RUTH, gender: 'female' }
    expect(weigh(asked, other)).toBeLessThan(weigh(asked, RUTH))
  })

  test('the contributions are the bits of each field, for and against', () => {
    const evidence = compared(RUTH, { ...RUTH, birthDate: '1955-12-30' })
    const bits = Object.fromEntries(contributionsOf(evidence, UNKNOWN).map((one) => [one.evidence.field, one.bits]))
    expect(Object.keys(bits).sort()).toEqual(['birthDate', 'city', 'family', 'given', 'postalCode', 'street'])
    expect(bits['family']).toBeCloseTo(Math.log2(0.8 / 0.005), 6)
    expect(bits['birthDate']).toBeLessThan(0)
  })
})

test('the general frequency of names counts where a clinic has few patients, its own where it has many', () => {
  expect(smoothed('family', 0, 0)).toBeCloseTo(0.005, 9)
  expect(smoothed('family', 5, 10)).toBeCloseTo(0.01, 3)
  expect(smoothed('family', 10_000, 1_000_000)).toBeCloseTo(0.01, 3)
})

describe('probabilities', () => {
  const total = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0)
  /** Natural logarithm of the weight at which one of `patients` is as likely the person as not. */
  const even = (patients: number): number => Math.log(patients)

  test('of nobody are none', () => expect(probabilitiesOf([], 1_000)).toEqual([]))

  test('of one candidate rise from nothing to certainty with its weight', () => {
    const of = (weight: number) => probabilitiesOf([weight], 100_000)[0] ?? 0
    expect(of(0)).toBeLessThan(0.001)
    expect(of(even(100_000))).toBeGreaterThan(0.3)
    expect(of(even(100_000) + 10)).toBeGreaterThan(0.999)
  })

  test('the same weight says less where there are more patients', () => {
    const [few = 0] = probabilitiesOf([12], 10_000)
    const [many = 0] = probabilitiesOf([12], 10_000_000)
    expect(many).toBeLessThan(few)
  })

  test.each([2, 5, 40])('of %d namesakes each has its part, and together they are one person', (count) => {
    const found = probabilitiesOf(Array(count).fill(even(10_000 / count)), 10_000)
    for (const one of found) expect(one).toBeCloseTo(found[0] ?? 0, 9)
    expect(total(found)).toBeGreaterThan(0.8)
    expect(total(found)).toBeLessThan(1.05)
  })

  test('of two that agree in everything both are the person: a duplicate', () => {
    for (const one of probabilitiesOf([40, 40], 10_000)) expect(one).toBeGreaterThan(0.99)
  })

  test('one that agrees far better leaves little to the others', () => {
    const [best = 0, other = 0] = probabilitiesOf([even(10_000) + 12, even(10_000) - 2], 10_000)
    expect(best).toBeGreaterThan(0.99)
    expect(other).toBeLessThan(0.01)
  })

  test('any number of unlikely ones leaves the likely one where it is', () => {
    const [alone = 0] = probabilitiesOf([25], 10_000)
    const [among = 0] = probabilitiesOf([25, ...Array(5_000).fill(-5)], 10_000)
    expect(among).toBeCloseTo(alone, 3)
  })

  test('are numbers for weights of any size', () => {
    for (const one of probabilitiesOf([800, 700, -800, 0], 1)) expect(one).toBeGreaterThanOrEqual(0)
  })
})
