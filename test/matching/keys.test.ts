/** Keys that two records of one person share, and keys that placeholders lack. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Patient } from 'fhir/r4'
import { demographicsOf } from '../../src/matching/demographics.ts'
import { askedKeys, narrowerKeys, PLACEHOLDER, storedKeys } from '../../src/matching/keys.ts'
import { PLACEHOLDER_TAG } from '../../src/matching/placeholder.ts'
import { name, patient } from './demographics.ts'

/** The prefixes of the query's keys that match keys of the stored record. */
function shared(asked: Partial<Patient>, stored: Partial<Patient>, region?: string) {
  const { fallback, ...others } = askedKeys(demographicsOf(patient(asked), region))
  const first = Object.values(others).flat()
  const known = storedKeys(patient(stored))
  const isKnown = (key: string): boolean => known.some((one) => one.startsWith(key))
  return { first: first.filter(isKnown), fallback: fallback.filter(isKnown) }
}

const RUTH: Partial<Patient> = { name: [name('Ruth', 'Abernathy')] }
const phone = (value: string): Partial<Patient> => ({ telecom: [{ system: 'phone', value }] })

describe('what is asked for shares a key with the record', () => {
  test.each<[string, Partial<Patient>, Partial<Patient>]>([
    ['by the name', RUTH, RUTH],
    ['by the name in the other order', { name: [name('Abernathy', 'Ruth')] }, RUTH],
    ['by an initial', { name: [name('R', 'Abernathy')] }, RUTH],
    ['by a spelling that sounds the same', { name: [name('Ruth', 'Abbernathie')] }, RUTH],
    ['by a nickname of another letter', { name: [name('Bill', 'Smith')] }, { name: [name('William', 'Smith')] }],
    ['by the formal name', { name: [name('Robert', 'Smith')] }, { name: [name('Bob', 'Smith')] }],
    ['without an apostrophe', { name: [name('Grace', 'OBrien')] }, { name: [name('Grace', "O'Brien")] }],
    ['by the family name alone', { name: [name('', 'Abernathy')] }, RUTH],
    ['by the given name alone', { name: [name('Ruth', '')] }, RUTH],
    ['where the record has the family name alone', RUTH, { name: [name('', 'Abernathy')] }],
    ['where the record has the given name alone', RUTH, { name: [name('Ruth', '')] }],
    ['by a former name', { name: [name('Ruth', 'Nowak')] }, { name: [name('Ruth', 'Berg'), name('Ruth', 'Nowak')] }],
    ['by a national telephone number', phone('212-555-0177'), phone('+12125550177')],
    ['by an international one', phone('+44 20 7946 0958'), phone('020 7946 0958')],
    ['by a telephone number with an extension', phone('212-555-0177 ext 12'), phone('+12125550177')],
    ['where the record has the extension', phone('+12125550177'), phone('212-555-0177 x12')],
    [
      'by e-mail',
      { telecom: [{ system: 'email', value: 'A@b.example' }] },
      { telecom: [{ system: 'email', value: 'a@B.example' }] },
    ],
    ['by the birth date', { birthDate: '1980-03-04' }, { birthDate: '1980-03-04' }],
    ['by day and month exchanged', { birthDate: '1980-04-03' }, { birthDate: '1980-03-04' }],
    ['by the street', { address: [{ line: ['12 Elm St.'] }] }, { address: [{ line: ['12 Elm Street', 'Apt 4'] }] }],
    [
      'by an identifier without system',
      { identifier: [{ value: 'mrn 12' }] },
      { identifier: [{ system: 's', value: 'MRN-12' }] },
    ],
  ])('%s', (_how, asked, stored) => {
    expect(shared(asked, stored, 'US').first).not.toEqual([])
  })

  test('by the postal code with the first letter of a name', () => {
    const home = { address: [{ postalCode: '12203-1234' }] }
    const asked = { name: [name('Rachel', 'Zimmer')], address: [{ postalCode: '12203' }] }
    expect(shared(asked, { ...RUTH, ...home }).first).not.toEqual([])
    expect(shared({ ...asked, name: [name('Paula', 'Zimmer')] }, { ...RUTH, ...home }).first).toEqual([])
  })

  test('by the birth date with the first letter of a name', () => {
    const born = { birthDate: '1980-03-04' }
    expect(shared({ ...born, name: [name('Rachel', 'Zimmer')] }, { ...RUTH, ...born }).first).not.toEqual([])
    expect(shared(born, { ...RUTH, ...born }).first).not.toEqual([])
    expect(shared({ ...RUTH, ...born }, born).first).not.toEqual([])
    expect(shared({ ...born, name: [name('Paula', 'Zimmer')] }, { ...RUTH, ...born }).first).toEqual([])
  })

  test('at once by the birth date with the sound of a name, by its first letter only where nobody is clear', () => {
    const born = { birthDate: '1980-03-04' }
    const known = storedKeys(patient({ ...RUTH, ...born }))
    const has = (keys: readonly string[]): boolean => keys.some((key) => known.some((one) => one.startsWith(key)))
    const asked = (...names: readonly [string, string]) =>
      askedKeys(demographicsOf(patient({ ...born, name: [name(...names)] })))
    expect([has(asked('Ruthe', 'Zimmer').telling), has(asked('Kim', 'Abbernathie').telling)]).toEqual([true, true])
    const { telling, dates } = asked('Rachel', 'Zimmer')
    expect([has(telling), has(dates)]).toEqual([false, true])
  })

  test('not by what another person has', () => {
    const other = { name: [name('Walter', 'Finch')], birthDate: '1951-12-30', ...phone('+13155550199') }
    expect(shared({ ...RUTH, birthDate: '1980-03-04', ...phone('+12125550177') }, other)).toEqual({
      first: [],
      fallback: [],
    })
  })
})

describe('where a key is too common, a longer one has fewer', () => {
  /** The longer prefixes of the query's keys that match the record, when all keys of `kinds` are too common. */
  function longer(kinds: string, asked: Partial<Patient>, stored: Partial<Patient>): readonly string[] {
    const demographics = demographicsOf(patient(asked), 'US')
    const common = Object.values(askedKeys(demographics))
      .flat()
      .filter((key) => kinds.includes(key[0] ?? ''))
    const known = storedKeys(patient(stored))
    const { names, others } = narrowerKeys(demographics, new Set(common))
    return [...names, ...others].filter((key) => known.some((one) => one.startsWith(key)))
  }

  const JOHN: Partial<Patient> = { name: [name('John', 'Smith')] }
  const born = { birthDate: '1900-01-01' }
  const home = { address: [{ line: ['12 Elm Street'], postalCode: '12203' }] }
  test.each<[string, string, Partial<Patient>, Partial<Patient>]>([
    ['the name', 'n', JOHN, JOHN],
    ['the name in the other order', 'n', { name: [name('Smith', 'John')] }, JOHN],
    ['the name by its sound', 'n', { name: [name('Jon', 'Smyth')] }, JOHN],
    [
      'the family name with another first letter',
      'n',
      { name: [name('John', 'Karr')] },
      { name: [name('John', 'Carr')] },
    ],
    ['a nickname', 'n', { name: [name('Bill', 'Smith')] }, { name: [name('William', 'Smith')] }],
    ['the initial that is asked for', 'n', { name: [name('J', 'Smith')] }, JOHN],
    ['the initial that is stored', 'n', JOHN, { name: [name('J', 'Smith')] }],
    ['a misspelled family name with the given name', 'f', { name: [name('John', 'Smitk')] }, JOHN],
    [
      'a nickname and another family name',
      'n',
      { name: [name('Bob', 'Berg')] },
      { name: [name('Robert', 'Berg'), name('Bob', 'Nowak')] },
    ],
    [
      'a telephone with the family name',
      'p',
      { ...phone('2125550177'), name: [name('Kim', 'Smith')] },
      { ...JOHN, ...phone('2125550177') },
    ],
    [
      'a telephone with the given name',
      'p',
      { ...phone('2125550177'), name: [name('John', 'Nowak')] },
      { ...JOHN, ...phone('2125550177') },
    ],
    ['a birth date with a name', 'd', { ...JOHN, ...born }, { name: [name('John', 'Nowak')], ...born }],
    ['a street with a name', 'a', { ...JOHN, ...home }, { name: [name('Jane', 'Smith')], ...home }],
    ['a postal code with a name', 'z', { ...JOHN, ...home }, { name: [name('Jane', 'Smith')], ...home }],
    ['the family name alone', 'n', { name: [name('', 'Smith')] }, JOHN],
    ['the telephone alone', 'p', phone('2125550177'), { ...JOHN, ...phone('2125550177') }],
  ])('%s', (_what, kinds, asked, stored) => {
    expect(longer(kinds, asked, stored)).not.toEqual([])
  })

  test.each<[string, string, Partial<Patient>, Partial<Patient>]>([
    ['of another given name', 'nf', JOHN, { name: [name('Jacob', 'Smith')] }],
    [
      'with the telephone alone',
      'p',
      { ...JOHN, ...phone('2125550177') },
      { name: [name('Kim', 'Berg')], ...phone('2125550177') },
    ],
    [
      'born on the day, with a name of the same letter',
      'd',
      { ...JOHN, ...born },
      { name: [name('Jacob', 'Stone')], ...born },
    ],
    ['who have the given name alone, where both are known', 'mg', JOHN, { name: [name('John', 'Nowak')] }],
  ])('without those %s', (_what, kinds, asked, stored) => {
    expect(longer(kinds, asked, stored)).toEqual([])
  })

  test('none where nothing is too common', () => {
    expect(narrowerKeys(demographicsOf(patient({ ...JOHN, ...born, ...home })), new Set())).toEqual({
      names: [],
      others: [],
    })
  })
})

test('two family names that differ by a letter share a key, whichever letter it is', () =>
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 5, maxLength: 20 }),
      fc.nat(),
      fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
      fc.constantFrom('left out', 'added', 'another'),
      (family, place, letter, mistake) => {
        const at = place % family.length
        const rest = family.slice(mistake === 'added' ? at : at + 1)
        const misspelled = `${family.slice(0, at)}${mistake === 'left out' ? '' : letter}${rest}`
        const { first, fallback } = shared({ name: [name('X', misspelled)] }, { name: [name('Y', family)] })
        expect([...first, ...fallback]).not.toEqual([])
      },
    ),
  ))

describe('the keys of a placeholder', () => {
  const isOfPlaceholder = (key: string): boolean => key.startsWith(PLACEHOLDER)
  const placeholder = patient({ ...RUTH, meta: { tag: [PLACEHOLDER_TAG] } })

  test('are those of a patient, marked as such', () => {
    const keys = storedKeys(placeholder)
    expect(keys.every(isOfPlaceholder)).toBe(true)
    expect(keys.map((key) => key.slice(1))).toEqual(storedKeys(patient(RUTH)))
  })

  test('are none that a patient has', () => {
    const keys = storedKeys(patient({ ...RUTH, identifier: [{ value: '~12' }] }))
    expect(keys.some(isOfPlaceholder)).toBe(false)
  })
})

test('a record that another one has replaced has no key', () => {
  const link: Patient['link'] = [{ type: 'replaced-by', other: { reference: 'Patient/1' } }]
  expect(storedKeys(patient({ ...RUTH, link }))).toEqual([])
})

test('what has neither name nor number, date or street has no key', () => {
  const asked = askedKeys(demographicsOf(patient({ gender: 'male', address: [{ city: 'Albany' }] })))
  expect(Object.values(asked).flat()).toEqual([])
})
