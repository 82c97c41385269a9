/** How far two records agree, field by field. */
import { describe, expect, test } from '@jest/globals'
import type { Address, HumanName, Identifier, Patient } from 'fhir/r4'
import { compared, type Level, type Levels, levels, name } from './demographics.ts'

/** Both ways round. */
function expectLevels(one: Partial<Patient>, other: Partial<Patient>, expected: Levels, region?: string): void {
  const options = region === undefined ? {} : { region }
  expect(levels(one, other, options)).toEqual(expected)
  expect(levels(other, one, options)).toEqual(expected)
}

const both = (family: Level | undefined, given: Level | undefined): Levels => ({
  ...(family === undefined ? {} : { family }),
  ...(given === undefined ? {} : { given }),
})
const SAME = both('same', 'same')
const SWAPPED: Levels = { ...SAME, order: 'swapped' }

describe('names: family and given', () => {
  test('two pairs of names that weigh the same give one answer, whichever record is asked with', () => {
    const one = { name: [name('Anna', 'Los'), { given: ['Anna'] }] }
    const other = { name: [name('m', 'a'), name('Shawn', 'Los')] }
    expect(levels(one, other, {})).toEqual(levels(other, one, {}))
  })

  test('a nickname by itself does not hide another suffix', () => {
    const james = (suffix: string) => ({ name: [name('James', 'Fox', suffix), { given: ['Jim'] }] })
    expectLevels(james('Sr.'), james('Jr.'), { ...SAME, suffix: 'differ' })
  })

  test.each<[string, HumanName, HumanName, Levels]>([
    ['the same', name('Ruth', 'Abernathy'), name('Ruth', 'Abernathy'), SAME],
    ['other case', name('RUTH', 'abernathy'), name('Ruth', 'Abernathy'), SAME],
    ['diacritics', name('Zoë', 'Dvořák'), name('Zoe', 'Dvorak'), SAME],
    ['letters that are no plain ones with a mark', name('Søren', 'Łoś'), name('Soren', 'Los'), SAME],
    ['ß and æ', name('Lærke', 'Groß'), name('Laerke', 'Gross'), SAME],
    ['in the other order', name('Abernathy', 'Ruth'), name('Ruth', 'Abernathy'), SWAPPED],
    ['other order, several given', name('Cruz', 'Maria'), name('Maria|Jose', 'Cruz'), SWAPPED],
    ['other order, given names in one', name('Cruz', 'Maria Jose'), name('Maria|Jose', 'Cruz'), SWAPPED],
    ['one that is only a text', { text: 'Ruth Abernathy' }, name('Ruth', 'Abernathy'), SAME],
    ['a text, family name first', { text: 'Abernathy, Ruth' }, name('Ruth', 'Abernathy'), SWAPPED],
    ['an apostrophe', name('Grace', 'OBrien'), name('Grace', "O'Brien"), SAME],
    ['a curly apostrophe', name('Grace', 'O’Brien'), name('Grace', "O'Brien"), SAME],
    ['a space for the apostrophe', name('Grace', 'O Brien'), name('Grace', "O'Brien"), SAME],
    ['a hyphen', name('Ann', 'Smith-Jones'), name('Ann', 'Smith Jones'), SAME],
    ['one of two family names', name('Ann', 'Smith-Jones'), name('Ann', 'Jones'), both('part', 'same')],
    ['a given name of two words', name('Mary Ann', 'Jones'), name('Mary|Ann', 'Jones'), SAME],
    ['a middle name left out', name('John', 'Smith'), name('John|Michael', 'Smith'), SAME],
    ['a middle initial', name('John|M', 'Smith'), name('John|Michael', 'Smith'), SAME],
    ['another middle name', name('John|Paul', 'Smith'), name('John|Michael', 'Smith'), both('same', 'similar')],
    ['the middle name alone', name('Michael', 'Smith'), name('John|Michael', 'Smith'), both('same', 'near')],
    ['an initial', name('J', 'Smith'), name('John', 'Smith'), both('same', 'initial')],
    ['a nickname', name('Jim', 'Smith'), name('James', 'Smith'), both('same', 'nickname')],
    ['a nickname of one letter less', name('Sam', 'Smith'), name('Samuel', 'Smith'), both('same', 'nickname')],
    ['two nicknames of one name', name('Bill', 'Smith'), name('Willy', 'Smith'), both('same', 'nickname')],
    ['a short form', name('Chris', 'Smith'), name('Christopher', 'Smith'), both('same', 'nickname')],
    ['another spelling of the sound', name('Shawn', 'Lee'), name('Sean', 'Lee'), both('same', 'nickname')],
    ['a letter more and less', name('Rutth', 'Abernaty'), name('Ruth', 'Abernathy'), both('near', 'near')],
    ['a letter more in the middle', name('Ruth', 'Abernathey'), name('Ruth', 'Abernathy'), both('near', 'same')],
    ['another given name', name('Mary', 'Smith'), name('John', 'Smith'), both('same', 'differ')],
    ['another family name', name('John', 'Jones'), name('John', 'Smith'), both('differ', 'same')],
    ['a longer family name', name('John', 'Smithson'), name('John', 'Smith'), both('similar', 'same')],
    ['a short name one letter off', name('Ann', 'Ho'), name('Ian', 'Wu'), both('differ', 'similar')],
    ['Jr. and Sr.', name('Al', 'Fox', 'Jr.'), name('Al', 'Fox', 'Senior'), { ...SAME, suffix: 'differ' }],
    ['Jr. and Junior', name('Al', 'Fox', 'Jr.'), name('Al', 'Fox', 'Junior'), { ...SAME, suffix: 'same' }],
    ['Jr. in the family name', name('Al', 'Fox Jr'), name('Al', 'Fox', 'Jr.'), { ...SAME, suffix: 'same' }],
    ['Jr. and no suffix', name('Al', 'Fox', 'Jr.'), name('Al', 'Fox'), SAME],
    ['a family name alone', name('', 'Smith'), name('John', 'Smith'), both('same', undefined)],
    ['a given name alone', name('John', ''), name('John', 'Smith'), both(undefined, 'same')],
    ['a name without a letter', name('', '!?'), name('John', 'Smith'), {}],
  ])('%s', (_what, one, other, expected) => expectLevels({ name: [one] }, { name: [other] }, expected))

  test('of several names, former ones among them, the best pair counts', () => {
    const asked = { name: [name('Ruth', 'Nowak')] }
    const former = { ...name('Ruth', 'Nowak'), use: 'maiden' } as const
    expectLevels(asked, { name: [name('Ruth', 'Kowalski'), former] }, SAME)
  })

  test('the family name of one name and the given name of another are no name', () => {
    const known = { name: [name('Ruth', 'Kowalski'), name('Ada', 'Nowak')] }
    expect(levels({ name: [name('Ruth', 'Nowak')] }, known)).not.toMatchObject(SAME)
  })
})

describe('birth date', () => {
  test.each<[string, string, Level]>([
    ['1980-03-04', '1980-03-04', 'same'],
    ['1980-03-04', '1980-04-03', 'swapped'],
    ['1980-03-04', '1980-03-05', 'digit'],
    ['1980-03-12', '1980-03-21', 'digit'],
    ['1980-03-04', '1908-03-04', 'digit'],
    ['1980-03', '1980-03-04', 'partial'],
    ['1980', '1980-03-04', 'partial'],
    ['1980', '1980', 'partial'],
    ['1980-03', '1980-04', 'differ'],
    ['1980', '1981-03-04', 'differ'],
    ['1980-03-04', '1981-03-05', 'differ'],
  ])('%s and %s: %s', (a, b, birthDate) => expectLevels({ birthDate: a }, { birthDate: b }, { birthDate }))

  test('one that is absent tells nothing', () => expectLevels({ birthDate: '1980-03-04' }, {}, {}))
})

describe('phone', () => {
  test.each<[string, string, string | undefined, Level]>([
    ['+12125550123', '+1 (212) 555-0123', undefined, 'same'],
    ['+12125550123', '212.555.0123', undefined, 'same'],
    ['+12125550123', '212-555-0123', 'US', 'same'],
    ['12125550123', '212 555 0123', undefined, 'same'],
    ['+442079460958', '020 7946 0958', undefined, 'same'],
    ['+442079460958', '020 7946 0958', 'GB', 'same'],
    ['+4512345678', '12 34 56 78', undefined, 'same'],
    ['+442079460958', '+44 (0)20 7946 0958', undefined, 'same'],
    ['+3612345678', '+36 (0)1 234 5678', undefined, 'same'],
    ['+390669812345', '+39 (0)6 698 12345', undefined, 'same'],
    ['+39669812345', '+39 (0)6 698 12345', undefined, 'differ'],
    ['+12125550123', '212-555-0123 ext 12', 'US', 'same'],
    ['+12125550123', '212-555-0123 x12', undefined, 'same'],
    ['+12125550123', '+1 212 555 0123 Ext. 4 (desk)', undefined, 'same'],
    ['+12125550123', '+12125550123;ext=12', undefined, 'same'],
    ['+12125550123', '(212) 555-0123 #12', 'US', 'same'],
    ['+442079460958', '+44 (0)20 7946 0958 extension 12', undefined, 'same'],
    ['212-555-0123 ext 12', '212-555-0123 ext 13', 'US', 'same'],
    ['+12125550123', '212-555-0124 ext 12', 'US', 'differ'],
    ['+12125550123', '555-0123', undefined, 'differ'],
    ['2125550123', '5550123', undefined, 'differ'],
    ['+12125550123', '+2342125550123', undefined, 'differ'],
    ['+912125550123', '212 555 0123', 'US', 'differ'],
    ['+12125550123', '+12125550124', undefined, 'differ'],
  ])('%s and %s in %s: %s', (a, b, region, phone) => {
    const by = (value: string): Partial<Patient> => ({ telecom: [{ system: 'phone', value }] })
    expectLevels(by(a), by(b), { phone }, region)
  })

  test('one for text messages is a phone number; one that was given up, or has no digit, is none', () => {
    const asked: Partial<Patient> = { telecom: [{ system: 'phone', value: '+12125550123' }] }
    expectLevels(asked, { telecom: [{ system: 'sms', value: '+12125550123' }] }, { phone: 'same' })
    expectLevels(asked, { telecom: [{ system: 'phone', use: 'old', value: '+12125550123' }] }, {})
    expectLevels(asked, { telecom: [{ system: 'phone', value: '-' }] }, {})
  })
})

describe('e-mail and gender', () => {
  const mail = (value: string): Partial<Patient> => ({ telecom: [{ system: 'email', value }] })

  test.each<[string, Partial<Patient>, Partial<Patient>, Levels]>([
    ['an e-mail address in capitals', mail('A@B.example'), mail(' a@b.example'), { email: 'same' }],
    ['another e-mail address', mail('a@b.example'), mail('c@b.example'), { email: 'differ' }],
    ['what is no e-mail address', mail('none'), mail('none'), {}],
    ['the same gender', { gender: 'male' }, { gender: 'male' }, { gender: 'same' }],
    ['another gender', { gender: 'male' }, { gender: 'female' }, { gender: 'differ' }],
    ['a gender that is not known', { gender: 'unknown' }, { gender: 'female' }, {}],
    ['a gender that is neither', { gender: 'other' }, { gender: 'female' }, {}],
  ])('%s', (_what, one, other, expected) => expectLevels(one, other, expected))
})

describe('address', () => {
  const HOME = { line: ['12 Elm Street', 'Apt 4'], postalCode: '12203', city: 'Albany' }

  test.each<[string, Address, Address, Levels]>([
    ['the same', HOME, HOME, { street: 'same', postalCode: 'same', city: 'same' }],
    ['without the flat', { line: ['12 Elm Street'] }, HOME, { street: 'same' }],
    ['lines in the other order', { line: ['Apt 4', '12 Elm Street'] }, HOME, { street: 'same' }],
    ['in one line', { line: ['12 Elm Street Apt 4'] }, HOME, { street: 'same' }],
    ['only a text', { text: '12 Elm Street, Apt 4' }, HOME, { street: 'same' }],
    ['a letter less', { line: ['12 Elm Stret'] }, HOME, { street: 'near' }],
    ['the same street, another number', { line: ['14 Elm Street'] }, { line: ['12 Elm Street'] }, { street: 'part' }],
    ['another street', { line: ['7 Oak Lane'] }, HOME, { street: 'differ' }],
    ['ZIP+4', { postalCode: '12203-1234' }, HOME, { postalCode: 'same' }],
    ['the first half of a postcode', { postalCode: 'SW1A' }, { postalCode: 'SW1A 1AA' }, { postalCode: 'same' }],
    ['a digit of the postal code', { postalCode: '12204' }, HOME, { postalCode: 'digit' }],
    ['two digits in each other’s place', { postalCode: '12230' }, HOME, { postalCode: 'digit' }],
    ['another postal code', { postalCode: '90210' }, HOME, { postalCode: 'differ' }],
    ['a city with a mistake', { city: 'Albny' }, HOME, { city: 'near' }],
    ['another city', { city: 'Troy' }, HOME, { city: 'differ' }],
    ['a country alone', { country: 'US' }, { country: 'US' }, {}],
  ])('%s', (_what, one, other, expected) => expectLevels({ address: [one] }, { address: [other] }, expected))

  test('of several addresses the pair that agrees best counts', () => {
    const former = { line: ['7 Oak Lane'], postalCode: '90210', city: 'Los Angeles' }
    const expected = { street: 'same', postalCode: 'same', city: 'same' } as const
    expectLevels({ address: [HOME] }, { address: [former, HOME] }, expected)
  })
})

describe('identifiers', () => {
  const of = (value: string, system?: string): Identifier => ({ value, ...(system === undefined ? {} : { system }) })

  test.each<[string, Identifier, Identifier, Level | 'nothing']>([
    ['of one system', of('MRN-0012', 's'), of('MRN-0012', 's'), 'same'],
    ['in another spelling', of('mrn 0012', 's'), of('MRN-0012', 's'), 'same'],
    ['a digit off', of('MRN-0013', 's'), of('MRN-0012', 's'), 'digit'],
    ['short ones', of('13', 's'), of('12', 's'), 'differ'],
    ['others', of('MRN-7701', 's'), of('MRN-0012', 's'), 'differ'],
    ['of two systems', of('MRN-0012', 's'), of('MRN-0012', 't'), 'nothing'],
    ['one without system', of('MRN-0012'), of('MRN-0012', 's'), 'same, without system'],
    ['both without system', of('MRN-0012'), of('MRN-0012'), 'same, without system'],
    ['others, one without system', of('MRN-7701'), of('MRN-0012', 's'), 'nothing'],
  ])('%s', (_what, one, other, level) => {
    const expected = level === 'nothing' ? {} : { identifier: level }
    expectLevels({ identifier: [one] }, { identifier: [other] }, expected)
  })

  test('each system that both have says something: one that agrees does not hide that another differs', () => {
    const agreeing = (one: string, other: string) =>
      levelsOfIdentifiers([of('A', 'member'), of(one, 'mrn')], [of(other, 'mrn'), of('A', 'member')])
    expect(agreeing('MRN-7701', 'MRN-0012')).toEqual(['same', 'differ'])
    expect(agreeing('MRN-0013', 'MRN-0012')).toEqual(['same', 'digit'])
    expect(agreeing('MRN-0012', 'MRN-0012')).toEqual(['same', 'same'])
  })

  test('of several of one system the pair that agrees best counts', () => {
    expect(levelsOfIdentifiers([of('A', 's'), of('B', 's')], [of('C', 's'), of('B', 's')])).toEqual(['same'])
  })

  test('one without a system that agrees does not hide that another differs', () => {
    const expected = ['same, without system', 'differ']
    expect(levelsOfIdentifiers([of('A'), of('B', 's')], [of('A', 't'), of('C', 's')])).toEqual(expected)
    expect(levelsOfIdentifiers([of('A'), of('A', 's')], [of('A', 's')])).toEqual(['same'])
  })

  /** The levels of two lists of identifiers; comparing is symmetric. */
  function levelsOfIdentifiers(one: readonly Identifier[], other: readonly Identifier[]): readonly Level[] {
    const [mine, theirs] = [{ identifier: [...one] }, { identifier: [...other] }]
    const evidence = compared(mine, theirs)
    expect(compared(theirs, mine)).toEqual(evidence)
    return evidence.map(({ level }) => level)
  }
})
