/** Properties that hold for every pair of patients. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { HumanName, Patient } from 'fhir/r4'
import { bitsOf, type Frequencies, gradeOf, probabilitiesOf, weightOf } from '../../src/matching/score.ts'
import { randomRuns } from '../support/random-runs.ts'
import { compared, UNKNOWN } from './demographics.ts'

type Known = Partial<Patient>

const FAMILIES = [
  'Smith',
  'Smyth',
  'Smithson',
  "O'Brien",
  'de la Cruz',
  'Müller',
  'Smith-Jones',
  'Li',
  'Abernathy',
  'Łoś',
]
const GIVENS = ['Anna', 'Ana', 'Jim', 'James', 'J', 'Mary Ann', 'Élodie', 'Li', 'Shawn', 'Samuel', 'Smith', 'Maria']
const EMAILS = ['a@b.example', 'c@d.example']
const PHONES = ['+12125550123', '212 555 0123', '+442079460958', '020 7946 0958']

const someOf = <T>(values: readonly T[], maxLength: number, minLength = 0) =>
  fc.array(fc.constantFrom(...values), { minLength, maxLength })

const givenName = fc.oneof(
  fc.constantFrom(...GIVENS),
  fc.string({ unit: fc.constantFrom(...'abcmnosty'), maxLength: 7 }),
)
const familyName = fc.oneof(
  fc.constantFrom(...FAMILIES),
  fc.string({ unit: fc.constantFrom(...'abcmnosty'), maxLength: 9 }),
)
const humanName: fc.Arbitrary<HumanName> = fc.record(
  {
    family: familyName,
    given: fc.array(givenName, { minLength: 1, maxLength: 3 }),
    suffix: someOf(['Jr.', 'Sr.', 'III'], 1),
  },
  { requiredKeys: [] },
)
const birthDate = fc.constantFrom('1980', '1980-03', '1980-03-04', '1980-04-03', '1980-03-05', '1991-07-30')
const address = fc.record(
  {
    line: someOf(['12 Elm Street', '12 Elm Stret', 'Apt 4', '7 Oak Lane', '12 Elm'], 2, 1),
    postalCode: fc.constantFrom('12203', '12203-1234', '12204', '90210'),
    city: fc.constantFrom('Albany', 'Albny', 'Troy'),
  },
  { requiredKeys: [] },
)
const identifier = fc.record(
  { system: fc.constantFrom('urn:a', 'urn:b'), value: fc.constantFrom('MRN-0012', 'MRN-0013', 'MRN-7701') },
  { requiredKeys: ['value'] },
)
const telecom = fc
  .tuple(someOf(PHONES, 2), someOf(EMAILS, 2))
  .map(([phones, emails]) => [
    ...phones.map((value) => ({ system: 'phone' as const, value })),
    ...emails.map((value) => ({ system: 'email' as const, value })),
  ])
const patient: fc.Arbitrary<Known> = fc.record(
  {
    name: fc.array(humanName, { maxLength: 2 }),
    birthDate,
    gender: fc.constantFrom('male' as const, 'female' as const, 'unknown' as const),
    telecom,
    address: fc.array(address, { maxLength: 2 }),
    identifier: fc.array(identifier, { maxLength: 2 }),
  },
  { requiredKeys: [] },
)

/** Frequencies of names that nobody, some or everybody has. */
const frequencies: fc.Arbitrary<Frequencies> = fc
  .record({ patients: fc.integer({ min: 1, max: 1_000_000 }), part: fc.constantFrom(0.00001, 0.01, 0.5, 0.999) })
  .map(({ patients, part }) => ({ patients, of: () => part }))

const weigh = (one: Known, other: Known, of: Frequencies = UNKNOWN): number =>
  weightOf(compared(one, other, { frequencies: of, region: 'US' }), of)

const check = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: randomRuns(5_000) })

test('the score is symmetric', () =>
  check(
    fc.property(patient, patient, frequencies, (one, other, of) => {
      expect(weigh(one, other, of)).toBeCloseTo(weigh(other, one, of), 9)
    }),
  ))

describe('an agreement more never lowers the score', () => {
  const ADDED: readonly (readonly [string, keyof Patient, Known])[] = [
    ['name', 'name', { name: [{ family: 'Abernathy', given: ['Ruth'] }] }],
    ['family name', 'name', { name: [{ family: 'Abernathy' }] }],
    ['given name', 'name', { name: [{ given: ['Ruth'] }] }],
    ['birth date', 'birthDate', { birthDate: '1980-03-04' }],
    ['year of birth', 'birthDate', { birthDate: '1980' }],
    ['gender', 'gender', { gender: 'female' }],
    ['telephone', 'telecom', { telecom: [{ system: 'phone', value: '+12125550123' }] }],
    ['e-mail address', 'telecom', { telecom: [{ system: 'email', value: 'a@b.example' }] }],
    ['address', 'address', { address: [{ line: ['12 Elm Street'], postalCode: '12203', city: 'Albany' }] }],
    ['postal code', 'address', { address: [{ postalCode: '12203' }] }],
    ['identifier', 'identifier', { identifier: [{ system: 'urn:a', value: 'MRN-0012' }] }],
    ['identifier without system', 'identifier', { identifier: [{ value: 'MRN-0012' }] }],
  ]

  test.each(ADDED)('of the %s', (_what, element, agreement) =>
    check(
      fc.property(patient, patient, frequencies, (one, other, of) => {
        const [mine, theirs] = [one, other].map((known): Known => ({ ...known, [element]: undefined })) as [
          Known,
          Known,
        ]
        const before = weigh(mine, theirs, of)
        expect(weigh({ ...mine, ...agreement }, { ...theirs, ...agreement }, of)).toBeGreaterThanOrEqual(before - 1e-9)
      }),
    ),
  )
})

describe('the score does not depend on how names are written', () => {
  const respelled = (known: Known, respell: (text: string) => string): Known => ({
    ...known,
    ...(known.name === undefined
      ? {}
      : {
          name: known.name.map(({ family, given, ...rest }) => ({
            ...rest,
            ...(family === undefined ? {} : { family: respell(family) }),
            ...(given === undefined ? {} : { given: given.map(respell) }),
          })),
        }),
  })

  test("the O of O'Brien is no name of its own, which an initial could stand for", () => {
    const [written, joined] = ["O'Brien", 'OBrien'].map((family): Known => ({ name: [{ family, given: ['Anna'] }] }))
    const initial: Known = { name: [{ given: ['o'] }] }
    expect(weigh(written ?? {}, initial)).toBe(weigh(joined ?? {}, initial))
  })

  test.each<[string, (text: string) => string]>([
    ['case', (text) => text.toUpperCase()],
    ['diacritics', (text) => text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('Ł', 'L').replaceAll('ł', 'l')],
    ['composed or decomposed', (text) => text.normalize('NFD')],
    ['apostrophes', (text) => text.replaceAll("'", '’')],
    ['no apostrophes', (text) => text.replaceAll("'", '')],
    ['spaces around', (text) => `  ${text} `],
  ])('%s', (_what, respell) =>
    check(
      fc.property(patient, patient, (one, other) => {
        expect(weigh(respelled(one, respell), other)).toBeCloseTo(weigh(one, other), 9)
      }),
    ),
  )

  test('the order of several names', () =>
    check(
      fc.property(patient, patient, (one, other) => {
        const reversed = { ...one, name: one.name?.toReversed() ?? [] }
        expect(weigh(reversed, other)).toBeCloseTo(weigh(one, other), 9)
      }),
    ))

  test('family and given name in each other’s place, but for the little that the exchange tells', () =>
    check(
      fc.property(familyName, givenName, patient, (family, given, other) => {
        // An initial is that of a given name, never of a family name.
        fc.pre(other.name?.every((one) => (one.given?.length ?? 0) < 2 && one.family?.length !== 1) ?? true)
        const inOrder = weigh({ name: [{ family, given: [given] }] }, other)
        const exchanged = weigh({ name: [{ family: given, given: [family] }] }, other)
        expect(Math.abs(inOrder - exchanged)).toBeLessThanOrEqual(Math.log(1 / 0.02) + 1e-9)
      }),
    ))
})

describe('probabilities of candidates', () => {
  const weights = fc.array(fc.double({ min: -60, max: 60, noNaN: true }), { maxLength: 30 })
  const patients = fc.integer({ min: 1, max: 5_000_000 })

  test('are from 0 to 1 and in the order of the weights', () =>
    check(
      fc.property(weights, patients, (all, count) => {
        const found = probabilitiesOf(all, count)
        expect(found).toHaveLength(all.length)
        for (const [index, one] of found.entries()) {
          expect(one).toBeGreaterThanOrEqual(0)
          expect(one).toBeLessThanOrEqual(1)
          for (const [other, probability] of found.entries()) {
            if ((all[index] ?? 0) > (all[other] ?? 0)) expect(one).toBeGreaterThanOrEqual(probability)
          }
        }
      }),
    ))

  test('rise with the own weight', () =>
    check(
      fc.property(weights, fc.double({ min: -50, max: 50, noNaN: true }), patients, (others, weight, count) => {
        const [less = 0] = probabilitiesOf([weight, ...others], count)
        const [more = 0] = probabilitiesOf([weight + 1, ...others], count)
        expect(more).toBeGreaterThanOrEqual(less - 1e-9)
      }),
    ))
})

test('with a field that contradicts nobody is certain', () =>
  check(
    fc.property(patient, patient, (one, other) => {
      const evidence = compared(one, other)
      const contradicts = evidence.some(
        ({ field, level }) =>
          (level === 'differ' && ['family', 'given', 'suffix', 'birthDate', 'gender', 'identifier'].includes(field)) ||
          (level === 'digit' && field === 'identifier'),
      )
      fc.pre(contradicts)
      expect(bitsOf(evidence, UNKNOWN)).not.toBeNaN()
      expect(gradeOf({ probability: 1, evidence }, [])).not.toBe('certain')
    }),
  ))
