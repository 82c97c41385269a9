/** Whether two records agree, datum by datum. */
import { describe, expect, test } from '@jest/globals'
import type { HumanName, Patient } from 'fhir/r4'
import { type Agreement, compare, type Evidence } from '../../src/matching/compare.ts'

const evidence = (asked: Partial<Patient>, known: Partial<Patient>, region?: string): Evidence =>
  compare({ resourceType: 'Patient', ...asked }, { resourceType: 'Patient', ...known }, region)

const name = (given: string, family: string, suffix?: string): HumanName => ({
  ...(given === '' ? {} : { given: given.split('|') }),
  ...(family === '' ? {} : { family }),
  ...(suffix === undefined ? {} : { suffix: [suffix] }),
})

describe('names: family and given', () => {
  test.each<[string, HumanName, HumanName, Agreement, Agreement]>([
    ['the same', name('Ruth', 'Abernathy'), name('Ruth', 'Abernathy'), 'agree', 'agree'],
    ['other case and accents', name('RUTH', 'abernathy'), name('Rúth', 'Abernathy'), 'agree', 'agree'],
    ['in the other order', name('Abernathy', 'Ruth'), name('Ruth', 'Abernathy'), 'agree', 'agree'],
    ['one that is only a text', { text: 'Ruth Abernathy' }, name('Ruth', 'Abernathy'), 'agree', 'agree'],
    ['a text, family name first', { text: 'Abernathy, Ruth' }, name('Ruth', 'Abernathy'), 'agree', 'agree'],
    ['a record that has only a text', name('Ruth', 'Abernathy'), { text: 'Ruth Abernathy' }, 'agree', 'agree'],
    ['an apostrophe', name('Mary', 'OBrien'), name('Mary', "O'Brien"), 'agree', 'agree'],
    ['a given name of two words', name('Mary Ann', 'Jones'), name('Mary|Ann', 'Jones'), 'agree', 'agree'],
    ['a middle name left out', name('John', 'Smith'), name('John|Michael', 'Smith'), 'agree', 'agree'],
    ['a middle initial', name('John|M', 'Smith'), name('John|Michael', 'Smith'), 'agree', 'agree'],
    ['another middle name', name('John|Paul', 'Smith'), name('John|Michael', 'Smith'), 'agree', 'close'],
    ['the middle name alone', name('Michael', 'Smith'), name('John|Michael', 'Smith'), 'agree', 'close'],
    ['an initial', name('J', 'Smith'), name('John', 'Smith'), 'agree', 'close'],
    ['a short form', name('Chris', 'Smith'), name('Christopher', 'Smith'), 'agree', 'close'],
    ['a typing mistake each', name('Rutth', 'Abernaty'), name('Ruth', 'Abernathy'), 'close', 'close'],
    ['another given name', name('Mary', 'Smith'), name('John', 'Smith'), 'agree', 'differ'],
    ['another family name', name('John', 'Jones'), name('John', 'Smith'), 'differ', 'agree'],
    ['a short name one letter off', name('Amy', 'Li'), name('Ama', 'Lo'), 'differ', 'differ'],
    ['Jr. and Sr.', name('James', 'Whitaker', 'Jr.'), name('James', 'Whitaker', 'Senior'), 'agree', 'differ'],
    ['Jr. and Junior', name('James', 'Whitaker', 'Jr.'), name('James', 'Whitaker', 'Junior'), 'agree', 'agree'],
    ['Jr. and no suffix', name('James', 'Whitaker', 'Jr.'), name('James', 'Whitaker'), 'agree', 'agree'],
    ['a family name alone', name('', 'Smith'), name('John', 'Smith'), 'agree', 'missing'],
    ['a given name alone', name('John', ''), name('John', 'Smith'), 'missing', 'agree'],
    ['a name without a letter', name('', '!?'), name('John', 'Smith'), 'missing', 'missing'],
  ])('%s', (_what, asked, known, family, given) => {
    expect(evidence({ name: [asked] }, { name: [known] })).toMatchObject({ family, given })
  })

  test('of several names the best pair counts, not the family of one with the given of another', () => {
    const asked = { name: [name('Ruth', 'Nowak')] }
    expect(evidence(asked, { name: [name('Ruth', 'Kowalski'), name('Ruth', 'Nowak')] })).toMatchObject({
      family: 'agree',
      given: 'agree',
    })
    expect(evidence(asked, { name: [name('Ruth', 'Kowalski'), name('Ada', 'Nowak')] })).not.toMatchObject({
      family: 'agree',
      given: 'agree',
    })
  })
})

describe('phone', () => {
  test.each<[string, string, string | undefined, Agreement]>([
    ['+12125550123', '+1 (212) 555-0123', undefined, 'agree'],
    ['+12125550123', '212.555.0123', undefined, 'agree'],
    ['12125550123', '212 555 0123', undefined, 'agree'],
    ['+442079460958', '020 7946 0958', undefined, 'agree'],
    ['+442079460958', '020 7946 0958', 'GB', 'agree'],
    ['+4512345678', '12 34 56 78', undefined, 'agree'],
    ['+442079460958', '+44 (0)20 7946 0958', undefined, 'agree'],
    ['+3612345678', '+36 (0)1 234 5678', undefined, 'agree'],
    ['+390669812345', '+39 (0)6 698 12345', undefined, 'agree'],
    ['+39669812345', '+39 (0)6 698 12345', undefined, 'differ'],
    ['+12125550123', '555-0123', undefined, 'differ'],
    ['2125550123', '5550123', undefined, 'differ'],
    ['+12125550123', '+2342125550123', undefined, 'differ'],
    ['+912125550123', '212 555 0123', 'US', 'differ'],
    ['+12125550123', '+12125550124', undefined, 'differ'],
    ['-', '-', undefined, 'differ'],
  ])('%s and %s in %s: %s', (a, b, region, expected) => {
    const phone = (value: string): Partial<Patient> => ({ telecom: [{ system: 'phone', value }] })
    expect(evidence(phone(a), phone(b), region).phone).toBe(expected)
    expect(evidence(phone(b), phone(a), region).phone).toBe(expected)
  })

  test('one for text messages is a phone number, one that was given up is none', () => {
    const asked: Partial<Patient> = { telecom: [{ system: 'phone', value: '+12125550123' }] }
    expect(evidence(asked, { telecom: [{ system: 'sms', value: '+12125550123' }] }).phone).toBe('agree')
    expect(evidence(asked, { telecom: [{ system: 'phone', use: 'old', value: '+12125550123' }] }).phone).toBe('missing')
  })
})

describe('birth date', () => {
  test.each<[string | undefined, string | undefined, Agreement]>([
    ['1980-03-04', '1980-03-04', 'agree'],
    ['1980-03-04', '1980-04-03', 'close'],
    ['1980-03-04', '1980-03-05', 'close'],
    ['1980-03', '1980-03-04', 'close'],
    ['1980-03-04', '1981-03-05', 'differ'],
    ['1980-03-04', undefined, 'missing'],
    [undefined, undefined, 'missing'],
  ])('%s and %s: %s', (a, b, expected) => {
    const born = (birthDate: string | undefined) => (birthDate === undefined ? {} : { birthDate })
    expect(evidence(born(a), born(b)).birthDate).toBe(expected)
  })
})

describe('the rest', () => {
  test.each<[string, Partial<Patient>, Partial<Patient>, Partial<Evidence>]>([
    ['an identifier', { identifier: [{ system: 's', value: '1' }] }, {}, { identifier: 'missing' }],
    [
      'the same identifier',
      { identifier: [{ system: 's', value: '1' }] },
      { identifier: [{ system: 's', value: '1' }] },
      { identifier: 'agree' },
    ],
    [
      'another one of the same system',
      { identifier: [{ system: 's', value: '1' }] },
      { identifier: [{ system: 's', value: '2' }] },
      { identifier: 'differ' },
    ],
    [
      'another one of another system',
      { identifier: [{ system: 's', value: '1' }] },
      { identifier: [{ system: 't', value: '2' }] },
      { identifier: 'missing' },
    ],
    [
      'an e-mail address in capitals',
      { telecom: [{ system: 'email', value: 'A@B.example' }] },
      { telecom: [{ system: 'email', value: 'a@b.example' }] },
      { email: 'agree' },
    ],
    [
      'an address with a mistake',
      { address: [{ line: ['1 Elm Street'], postalCode: '12203' }] },
      { address: [{ line: ['1 Elm Stret'], postalCode: '12203' }] },
      { address: 'close' },
    ],
    ['a country alone', { address: [{ country: 'US' }] }, { address: [{ country: 'US' }] }, { address: 'missing' }],
    ['a gender', { gender: 'male' }, { gender: 'female' }, { gender: 'differ' }],
  ])('%s', (_what, asked, known, expected) => {
    expect(evidence(asked, known)).toMatchObject(expected)
  })
})
