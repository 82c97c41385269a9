/** Text typed to find a patient: the search parameters, and the reasons for which a patient is found. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { criteriaOf, piecesOf } from '../../dashboard/fhir/patient-criteria.ts'
import { reasonsFor } from '../../dashboard/fhir/patient-reasons.ts'
import { dateIn, dateOrderOf, datesIn } from '../../dashboard/fhir/typed-date.ts'

const today = '2026-11-28'
const US = { order: 'month-first', today }
const UK = { order: 'day-first', today }

describe('a birth date as people type it', () => {
  test.each([
    ['6/7/1966', '1966-06-07', '1966-07-06'],
    ['06.07.1966', '1966-06-07', '1966-07-06'],
    ['6-7-66', '1966-06-07', '1966-07-06'],
    ['6 7 1966', '1966-06-07', '1966-07-06'],
    ['06071966', '1966-06-07', '1966-07-06'],
    ['13/6/1966', '1966-06-13', '1966-06-13'],
    ['6/13/1966', '1966-06-13', '1966-06-13'],
    ['6 June 66', '1966-06-06', '1966-06-06'],
    ["6 June '66", '1966-06-06', '1966-06-06'],
    ['6th june, 1966', '1966-06-06', '1966-06-06'],
    ['June 6 1966', '1966-06-06', '1966-06-06'],
    ['jun 6th, 66', '1966-06-06', '1966-06-06'],
    ['Sept. 3, 1980', '1980-09-03', '1980-09-03'],
    ['6jun1966', '1966-06-06', '1966-06-06'],
    ['1966-06-06', '1966-06-06', '1966-06-06'],
    ['1966/6/6', '1966-06-06', '1966-06-06'],
    ['19660606', '1966-06-06', '1966-06-06'],
    ['1966-06', '1966-06', '1966-06'],
    ['6/1966', '1966-06', '1966-06'],
    ['June 1966', '1966-06', '1966-06'],
    ['1966', '1966', '1966'],
    ['29 Feb 2000', '2000-02-29', '2000-02-29'],
  ])('%s is %s month first, and %s day first', (typed, monthFirst, dayFirst) => {
    expect([dateIn(typed, US), dateIn(typed, UK)]).toEqual([monthFirst, dayFirst])
  })

  test.each([
    '',
    '13/13/1966',
    '31 June 1966',
    '29 Feb 1999',
    '6/6/2030',
    '6/6',
    '6 June',
    '1066',
    '0142',
    'June',
    '6/6/19666',
  ])('%j is none', (typed) => {
    expect(datesIn(typed, UK)).toEqual([])
  })

  test('a year of two digits is the latest that is past, then a century before', () => {
    expect(datesIn('6/6/26', UK)).toEqual(['2026-06-06', '1926-06-06'])
    expect(datesIn('6 Dec 26', UK)).toEqual(['1926-12-06'])
    expect(datesIn('6/6/66', UK)).toEqual(['1966-06-06'])
  })

  test('the order is that of the settings, else of the country', () => {
    expect(dateOrderOf({ defaultRegion: 'US' })).toBe('month-first')
    expect(dateOrderOf({ defaultRegion: 'GB' })).toBe('day-first')
    expect(dateOrderOf({ defaultRegion: 'US', dateOrder: 'day-first' })).toBe('day-first')
  })
})

const name = (...words: readonly string[]) => words.map((word) => ['name', word])
const filter = (...tests: readonly string[]) => [['_filter', tests.join(' or ')]]
const national = (number: string) => ['eq', 'sw', 'ew'].map((operator) => `phone ${operator} "${number}"`)

describe('what is typed to find a patient', () => {
  test.each([
    ['aber  ru', name('aber', 'ru')],
    ['Abernathy, Ruth', name('Abernathy', 'Ruth')],
    ['Abernathy,Ruth', name('Abernathy', 'Ruth')],
    ["o'brien", name("o'brien")],
    ['$x|y', name('\\$x\\|y')],
    ['  ', []],
    ['(', []],
    ['1941-02', [['birthdate', '1941-02']]],
    ['6/6/1966', [['birthdate', '1966-06-06']]],
    ['6/6/26', [['birthdate', '2026-06-06,1926-06-06']]],
    ['Smith 6 June 66', [...name('Smith'), ['birthdate', '1966-06-06']]],
    ['June 6, 1966 Smith', [['birthdate', '1966-06-06'], ...name('Smith')]],
    ['(518) 555-0111', filter(...national('5185550111'))],
    ['555 0142', filter(...national('5550142'))],
    ['212.555.0142', filter(...national('2125550142'))],
    ['+1 518 555 0111', filter('phone eq "+15185550111"', 'phone sw "+15185550111"')],
    ['0044 20 7946 0958', filter('phone eq "+442079460958"', 'phone sw "+442079460958"')],
    ['Ruth 518 555 0111', [...name('Ruth'), ...filter(...national('5185550111'))]],
    ['5550142', filter(...national('5550142'), 'identifier sw "5550142"', 'identifier ew "5550142"')],
    ['1966', filter(...national('1966'), 'identifier sw "1966"', 'identifier ew "1966"', 'birthdate eq 1966')],
    ['12', filter('identifier eq "12"')],
    ['ruth@ex', filter('email sw "ruth@ex"')],
    ['@example.com', filter('email ew "@example.com"')],
    ['mrn-1001', filter('identifier sw "mrn-1001"', 'identifier sw "mrn1001"')],
    ['MRN1001', filter('identifier sw "MRN-1001"', 'identifier sw "MRN1001"')],
    [
      'Ann 1966',
      [
        ...name('Ann'),
        ...filter(...national('1966'), 'identifier sw "1966"', 'identifier ew "1966"', 'birthdate eq 1966'),
      ],
    ],
  ])('%j is searched by %j', (typed, criteria) => {
    expect(criteriaOf(piecesOf(typed, US))).toEqual(criteria)
  })

  test('so many words are searched as a search has parameters', () => {
    expect(piecesOf('a '.repeat(100), US)).toHaveLength(20)
  })
})

describe('a patient who is found', () => {
  const patient: Patient = {
    resourceType: 'Patient',
    name: [
      { use: 'official', family: "O'Brien-Müller", given: ['Ruth'] },
      { use: 'old', family: 'Abernathy' },
      { use: 'nickname', given: ['Ruthie'] },
    ],
    birthDate: '1966-06-06',
    identifier: [{ value: 'MRN-1001' }],
    telecom: [
      { system: 'phone', value: '+12125550142' },
      { system: 'email', value: 'ruth@example.com' },
    ],
  }
  test.each([
    ['ruth', ''],
    ['obrien', ''],
    ["o'brien", ''],
    ['muller', ''],
    ['abern', 'previous name'],
    ['ruthie', 'other name'],
    ['ruth abernathy', 'previous name'],
    ['555 0142', 'phone'],
    ['(212) 555-0142', 'phone'],
    ['0142', 'phone'],
    ['6/6/1966', 'birth date'],
    ['1966', 'birth date'],
    ['1001', 'record number'],
    ['mrn1001', 'record number'],
    ['ruth@ex', 'e-mail'],
    ['abernathy 6 june 1966', 'previous name, birth date'],
    ['', ''],
  ])('by %j says %j', (typed, reasons) => {
    expect(reasonsFor(patient, piecesOf(typed, US))).toBe(reasons)
  })

  test('lacks values, and no reason is made up', () => {
    const bare: Patient = {
      resourceType: 'Patient',
      name: [{ text: 'x' }],
      telecom: [{ system: 'phone' }],
      identifier: [{}],
    }
    expect(reasonsFor(bare, piecesOf('5550142 x@y 1966-06', US))).toBe('')
  })
})
