/** The probability and the fields that make a record listed, and its grade. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import {
  CERTAIN,
  gradeOf,
  identityLevelOf,
  isClose,
  isListed,
  LISTED,
  type MatchGrade,
  PROBABLE,
} from '../../src/matching/score.ts'
import { compared, name, patient } from './demographics.ts'

const MRN = 'http://example.org/mrn'
const NAME: Partial<Patient> = { name: [name('Ruth', 'Abernathy')] }
const BORN: Partial<Patient> = { birthDate: '1980-03-04' }
const HOME: Partial<Patient> = { address: [{ line: ['12 Elm Street'], postalCode: '12203', city: 'Albany' }] }
const PHONE = { system: 'phone', value: '+12125550177' } as const
const EMAIL = { system: 'email', value: 'ruth@example.com' } as const
const IDENTIFIED: Partial<Patient> = { identifier: [{ system: MRN, value: 'MRN-0012' }] }
const NEXT_NUMBER: Partial<Patient> = { identifier: [{ system: MRN, value: 'MRN-0013' }] }
const OTHER_NUMBER: Partial<Patient> = { identifier: [{ system: MRN, value: 'MRN-7799' }] }

/** Everything that is known of her. */
const RUTH: Partial<Patient> = { ...NAME, ...BORN, ...HOME, ...IDENTIFIED, gender: 'female', telecom: [PHONE, EMAIL] }

const of = (asked: Partial<Patient>) => compared(asked, patient(RUTH))
const graded = (asked: Partial<Patient>, probability = 1): MatchGrade =>
  gradeOf({ probability, evidence: of(asked) }, [])

describe('what agrees decides, however high the probability is', () => {
  test.each<[string, Partial<Patient>, MatchGrade, number | undefined]>([
    ['identifier and name', { ...IDENTIFIED, ...NAME }, 'certain', 0.99],
    ['identifier and birth date', { ...IDENTIFIED, ...BORN }, 'certain', 0.99],
    ['identifier without system, and name', { ...NAME, identifier: [{ value: 'MRN-0012' }] }, 'certain', undefined],
    ['name, birth date and e-mail', { ...NAME, ...BORN, telecom: [EMAIL] }, 'certain', 0.8],
    ['name, birth date and address', { ...NAME, ...BORN, ...HOME }, 'certain', 0.8],
    ['name, birth date and phone', { ...NAME, ...BORN, telecom: [PHONE] }, 'probable', 0.7],
    ['name and birth date', { ...NAME, ...BORN }, 'probable', 0.6],
    ['name alone', NAME, 'probable', undefined],
    ['name, phone, e-mail and address', { ...NAME, ...HOME, telecom: [PHONE, EMAIL] }, 'probable', undefined],
    ['identifier alone', IDENTIFIED, 'probable', undefined],
    ['phone alone', { telecom: [PHONE] }, 'possible', undefined],
    ['e-mail alone', { telecom: [EMAIL] }, 'possible', undefined],
    ['birth date and address', { ...BORN, ...HOME }, 'possible', undefined],
  ])('%s', (_what, asked, grade, level) => {
    expect(graded(asked)).toBe(grade)
    expect(identityLevelOf(of(asked))).toBe(level)
  })

  test.each<[string, Partial<Patient>]>([
    ['family name', { name: [name('Ruth', 'Kowalski')] }],
    ['given name', { name: [name('Walter', 'Abernathy')] }],
    ['birth date', { birthDate: '1951-12-30' }],
    ['gender', { gender: 'male' }],
    ['identifier of the same system', { identifier: [{ system: MRN, value: 'MRN-7799' }] }],
  ])('never certain against another %s', (_what, other) => {
    expect(graded(RUTH)).toBe('certain')
    expect(graded({ ...RUTH, ...other })).not.toBe('certain')
  })

  test('a number one digit off is that of another record: record numbers follow each other', () => {
    expect(graded({ ...RUTH, ...NEXT_NUMBER })).toBe('probable')
  })

  test('an identifier of another system that agrees does not make up for it', () => {
    const member = { system: 'http://example.org/member', value: 'M-77-001' }
    const known = { ...RUTH, identifier: [{ system: MRN, value: 'MRN-0012' }, member] }
    for (const value of ['MRN-7799', 'MRN-0013']) {
      const evidence = compared({ ...NAME, identifier: [member, { system: MRN, value }] }, known)
      expect(gradeOf({ probability: 1, evidence }, [])).toBe('probable')
    }
  })

  test('never certain against another suffix', () => {
    const evidence = compared(
      { ...RUTH, name: [name('Ruth', 'Abernathy', 'Jr.')] },
      { ...RUTH, name: [name('Ruth', 'Abernathy', 'Sr.')] },
    )
    expect(gradeOf({ probability: 1, evidence }, [])).toBe('probable')
  })

  test('another telephone number or address contradicts nobody: people move', () => {
    const moved: Partial<Patient> = {
      ...RUTH,
      address: [{ line: ['7 Oak Lane'], city: 'Troy' }],
      telecom: [EMAIL, { system: 'phone', value: '+13155550100' }],
    }
    expect(graded(moved)).toBe('certain')
  })

  test('twins whose given names differ by a letter are not each other', () => {
    const twin = { ...RUTH, name: [name('Ruta', 'Abernathy')], identifier: [] }
    expect(graded({ ...twin, telecom: [PHONE, EMAIL] })).toBe('probable')
  })
})

describe('thresholds', () => {
  test.each<[number, MatchGrade]>([
    [1, 'certain'],
    [CERTAIN, 'certain'],
    [CERTAIN - 0.0001, 'probable'],
    [PROBABLE, 'probable'],
    [PROBABLE - 0.0001, 'possible'],
    [LISTED, 'possible'],
  ])('%d: %s', (probability, grade) => expect(graded(RUTH, probability)).toBe(grade))

  test('are as documented', () => expect([CERTAIN, PROBABLE, LISTED]).toEqual([0.99, 0.5, 0.01]))

  test.each<[string, number, Partial<Patient>, boolean]>([
    ['as likely as LISTED', LISTED, { birthDate: '1951-12-30' }, true],
    ['less likely', LISTED - 0.0001, { birthDate: '1951-12-30' }, false],
    ['less likely, of the same name', 0, NAME, true],
    ['less likely, of the same family name', 0, { name: [name('', 'Abernathy')] }, true],
    ['less likely, of the same name and another birth date', 0, { ...NAME, birthDate: '1951-12-30' }, false],
    ['less likely, of the same name and an identifier a digit off', 0, { ...NAME, ...NEXT_NUMBER }, true],
    ['less likely, of the same name and another identifier', 0, { ...NAME, ...OTHER_NUMBER }, false],
    ['less likely, of the same given name', 0, { name: [name('Ruth', '')] }, false],
  ])('%s', (_what, probability, asked, expected) => expect(isListed(probability, of(asked))).toBe(expected))
})

describe('while another record stands close', () => {
  const rated = (asked: Partial<Patient>, known: Partial<Patient>, probability = 1) => ({
    probability,
    evidence: compared(asked, known),
  })

  test('nobody is certain: of exact duplicates each is probable', () => {
    const [one, other] = [rated(RUTH, RUTH), rated(RUTH, RUTH)]
    expect([gradeOf(one, [other]), gradeOf(other, [one])]).toEqual(['probable', 'probable'])
  })

  test('one that is less likely than PROBABLE is not close', () => {
    const other = rated(RUTH, RUTH, PROBABLE - 0.0001)
    expect(isClose(other, rated(RUTH, RUTH))).toBe(false)
    expect(gradeOf(rated(RUTH, RUTH), [other])).toBe('certain')
  })

  test('one who shares an identifier, and of whose others one differs, is not close to her', () => {
    const member = { system: 'http://example.org/member', value: 'M-77-001' }
    const [asked, son] = ['MRN-0012', 'MRN-0013'].map((value) => ({
      ...NAME,
      identifier: [member, { system: MRN, value }],
    }))
    const [she, other] = [rated(asked ?? {}, asked ?? {}), rated(asked ?? {}, son ?? {})]
    expect([isClose(other, she), isClose(she, other)]).toEqual([false, true])
    expect([gradeOf(she, [other]), gradeOf(other, [she])]).toEqual(['certain', 'probable'])
  })

  test.each<[string, Partial<Patient>]>([
    ['given name', { ...RUTH, name: [name('Walter', 'Abernathy')] }],
    ['birth date', { ...RUTH, birthDate: '1951-12-30' }],
    ['gender', { ...RUTH, gender: 'male' }],
    ['identifier', { ...RUTH, identifier: [] }],
    ['e-mail', { ...RUTH, telecom: [PHONE] }],
  ])('one whose %s does not agree is not close to her', (_what, known) => {
    const [she, other] = [rated(RUTH, RUTH), rated(RUTH, known)]
    expect(isClose(other, she)).toBe(false)
    expect(isClose(she, other)).toBe(true)
    expect(gradeOf(she, [other])).toBe('certain')
  })
})
