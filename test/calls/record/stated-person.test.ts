/** Whether a caller may be the person of a record: small differences, and signs of another person. */
import { describe, expect, test } from '@jest/globals'
import type { HumanName, Patient } from 'fhir/r4'
import { contradicts, type StatedPerson } from '../../../src/calls/record/stated-person.ts'

const patient = (name: HumanName | undefined, birthDate?: string): Patient => ({
  resourceType: 'Patient',
  ...(name === undefined ? {} : { name: [name] }),
  ...(birthDate === undefined ? {} : { birthDate }),
})

const named = (given: string, family: string, more: HumanName = {}): HumanName => ({
  given: given.split(' '),
  family,
  ...more,
})

describe('the same person', () => {
  test.each<[string, HumanName | undefined, StatedPerson]>([
    ['says the name on file', named('Ruth', 'Abernathy'), { firstName: 'Ruth', lastName: 'Abernathy' }],
    ['says it in another case', named('Ruth', 'Abernathy'), { firstName: 'RUTH', lastName: 'abernathy' }],
    ['says the first name alone', named('Ruth', 'Abernathy'), { firstName: 'Ruth' }],
    ['says the last name alone', named('Ruth', 'Abernathy'), { lastName: 'Abernathy' }],
    ['says nothing of the name', named('Ruth', 'Abernathy'), {}],
    ['adds a middle name', named('Ruth', 'Abernathy'), { firstName: 'Ruth Ann' }],
    ['leaves the middle name out', named('Paolo Luca', 'Bianchi'), { firstName: 'Paolo', lastName: 'Bianchi' }],
    ['says the middle initial', named('Paolo Luca', 'Bianchi'), { firstName: 'Paolo L' }],
    ['writes two first names as one', named('Mary Ann', 'Doe'), { firstName: 'Maryann' }],
    ['has an accent that is not on file', named('Jose', 'Munoz'), { firstName: 'José', lastName: 'Muñoz' }],
    ['leaves the accent out', named('Zoë', 'Johansson'), { firstName: 'Zoe' }],
    ['leaves the apostrophe out', named('Grace', "O'Brien"), { lastName: 'OBrien' }],
    ['says a nickname', named('James', 'Whitaker'), { firstName: 'Jim' }],
    ['says what the nickname stands for', named('Bill', 'Doe'), { firstName: 'William' }],
    ['is on file with an initial', named('R', 'Abernathy'), { firstName: 'Ruth' }],
    ['says a misspelt last name', named('Ruth', 'Abernathy'), { firstName: 'Ruth', lastName: 'Abernathie' }],
    ['says one of two last names', named('Ana', 'Garcia Lopez'), { firstName: 'Ana', lastName: 'Garcia' }],
    [
      'has first and last name in each other’s place',
      named('Ruth', 'Abernathy'),
      { firstName: 'Abernathy', lastName: 'Ruth' },
    ],
    ['says the suffix on file', named('James', 'Whitaker', { suffix: ['Jr.'] }), { lastName: 'Whitaker Jr' }],
    ['is on file without a name', undefined, { firstName: 'Ruth', lastName: 'Abernathy' }],
    ['is on file without a first name', { family: 'Abernathy' }, { firstName: 'Ruth', lastName: 'Abernathy' }],
    ['is on file without a last name', { given: ['Ruth'] }, { firstName: 'Ruth', lastName: 'Abernathy' }],
    ['is on file with a text', { text: 'Ruth Abernathy' }, { firstName: 'Ruth', lastName: 'Abernathy' }],
  ])('%s', (_what, name, stated) => {
    expect(contradicts(patient(name), stated)).toBe(false)
  })

  test.each<[string, string | undefined, string]>([
    ['says the birth date on file', '1941-02-17', '1941-02-17'],
    ['is on file with year and month', '1941-02', '1941-02-17'],
    ['is on file with the year', '1941', '1941-02-17'],
    ['is on file without a birth date', undefined, '1941-02-17'],
  ])('%s', (_what, birthDate, dateOfBirth) => {
    expect(contradicts(patient(named('Ruth', 'Doe'), birthDate), { dateOfBirth })).toBe(false)
  })

  test('says a name that is on file as an earlier one', () => {
    const marta: Patient = {
      resourceType: 'Patient',
      name: [named('Marta', 'Kowalski'), named('Marta', 'Nowak', { use: 'maiden' })],
    }
    expect(contradicts(marta, { firstName: 'Marta', lastName: 'Nowak' })).toBe(false)
  })
})

describe('another person', () => {
  test.each<[string, HumanName, StatedPerson]>([
    ['has another first name', named('Ruth', 'Abernathy'), { firstName: 'Harold' }],
    [
      'has another first name and the same last name',
      named('Ruth', 'Abernathy'),
      { firstName: 'Harold', lastName: 'Abernathy' },
    ],
    ['has another last name', named('Ruth', 'Abernathy'), { lastName: 'Smith' }],
    [
      'has another last name and the same first name',
      named('Ruth', 'Abernathy'),
      { firstName: 'Ruth', lastName: 'Smith' },
    ],
    ['has a first name that sounds the same', named('Maria', 'Doe'), { firstName: 'Mario' }],
    ['has a first name that differs by a letter', named('Daniel', 'Doe'), { firstName: 'Daniela' }],
    ['has a first name that begins the same', named('Josephine', 'Doe'), { firstName: 'Joseph' }],
    ['has the middle name as a first name', named('Paolo Luca', 'Bianchi'), { firstName: 'Luca' }],
    ['has another middle name', named('Mary Ann', 'Doe'), { firstName: 'Mary Beth' }],
    [
      'has another suffix',
      named('James', 'Whitaker', { suffix: ['Sr.'] }),
      { firstName: 'James', lastName: 'Whitaker Jr' },
    ],
    ['has another name than the text on file', { text: 'Ruth Abernathy' }, { firstName: 'Harold' }],
    ['has another first name than the one on file alone', { given: ['Ruth'] }, { firstName: 'Harold' }],
  ])('%s', (_what, name, stated) => {
    expect(contradicts(patient(name), stated)).toBe(true)
  })

  test.each([
    ['another day', '1941-02-17', '1941-02-18'],
    ['day and month in each other’s place', '1941-02-03', '1941-03-02'],
    ['another year than the one on file', '1941', '1942-02-17'],
  ])('is born on %s', (_what, birthDate, dateOfBirth) => {
    expect(contradicts(patient(named('Ruth', 'Doe'), birthDate), { firstName: 'Ruth', dateOfBirth })).toBe(true)
  })
})

describe('the birth date decides where the name is merely alike', () => {
  const maria = patient(named('Maria', 'Doe'), '1980-03-03')
  const same = { dateOfBirth: '1980-03-03' }
  test('stated together with it', () => {
    expect(contradicts(maria, { firstName: 'Mario' })).toBe(true)
    expect(contradicts(maria, { firstName: 'Mario', ...same })).toBe(false)
  })
  test('known of a verified caller', () => {
    expect(contradicts(maria, { firstName: 'Marya' }, 'verified')).toBe(false)
    expect(contradicts(maria, { firstName: 'Harold' }, 'verified')).toBe(true)
  })
  test('for another last name, where the first name was stated too', () => {
    expect(contradicts(maria, { firstName: 'Maria', lastName: 'Roe', ...same })).toBe(false)
    expect(contradicts(maria, { lastName: 'Roe', ...same })).toBe(true)
    expect(contradicts(maria, { lastName: 'Roe' }, 'verified')).toBe(true)
  })
  test('and not for a twin, whose first name is another', () => {
    expect(contradicts(maria, { firstName: 'Nadia', lastName: 'Doe', ...same })).toBe(true)
  })
})
