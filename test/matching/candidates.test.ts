/** The searches that find who is worth comparing. */
import { describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { candidateQueries } from '../../src/matching/candidates.ts'

const queries = (asked: Partial<Patient>): readonly string[] =>
  candidateQueries({ resourceType: 'Patient', ...asked }).map(decodeURIComponent)

describe('each clue is a narrow search', () => {
  test.each<[string, Partial<Patient>, readonly string[]]>([
    [
      'an identifier',
      { identifier: [{ system: 's', value: '1' }, { value: '2' }] },
      ['identifier=s|1', 'identifier=2'],
    ],
    [
      'a phone number, with and without its country code',
      { telecom: [{ system: 'phone', value: '+12125550123' }] },
      ['telecom=+12125550123,12125550123,2125550123'],
    ],
    [
      'a phone number with a zero before it in its country, written in any way',
      { telecom: [{ system: 'phone', value: '+44 (0)20 7946 0958' }] },
      ['telecom=+4402079460958,+442079460958,442079460958,2079460958,02079460958'],
    ],
    [
      'a phone number that begins with a zero',
      { telecom: [{ system: 'phone', value: '+39 (0)6 698 12345' }] },
      ['telecom=+390669812345,390669812345,0669812345'],
    ],
    ['an e-mail address', { telecom: [{ system: 'email', value: 'a@b.example' }] }, ['telecom=a@b.example']],
    [
      'both names, in either order or as a text',
      { name: [{ family: 'Doe', given: ['Jane'] }] },
      ['family=doe&given=jane', 'family=jane&given=doe', 'name=jane doe,doe jane'],
    ],
    ['a family name', { name: [{ family: 'Doe' }] }, ['family=doe']],
    ['a given name', { name: [{ given: ['Jane'] }] }, ['given=jane']],
    [
      'a name with a birth date',
      { name: [{ family: 'Doe' }], birthDate: '1980-03-03' },
      ['name=doe&birthdate=1980-03-03', 'family=doe'],
    ],
    [
      'a postal code with a birth date',
      { address: [{ line: ['1 Elm'], city: 'Albany', postalCode: '12203' }], birthDate: '1980-03-03' },
      ['birthdate=1980-03-03&address-postalcode=12203'],
    ],
    [
      'a city with a birth date',
      { address: [{ line: ['1 Elm'], city: 'Albany' }], birthDate: '1980-03-03' },
      ['birthdate=1980-03-03&address-city=Albany'],
    ],
    [
      'a street with a birth date',
      { address: [{ line: ['1 Elm'] }], birthDate: '1980-03-03' },
      ['birthdate=1980-03-03&address=1 Elm'],
    ],
    [
      'the text of an address with a birth date',
      { address: [{ text: '1 Elm, Albany' }], birthDate: '1980-03-03' },
      ['birthdate=1980-03-03&address=1 Elm\\, Albany'],
    ],
  ])('%s', (_what, asked, expected) => {
    expect(queries(asked)).toEqual(expected)
  })

  test.each<[string, Partial<Patient>]>([
    ['nothing', {}],
    ['a birth date alone', { birthDate: '1980-03-03' }],
    ['an address alone', { address: [{ postalCode: '12203' }] }],
    ['an address without a letter', { address: [{ city: '-' }], birthDate: '1980-03-03' }],
    ['a name without a letter', { name: [{ family: '!' }] }],
    ['a gender', { gender: 'female' }],
  ])('%s cannot be searched by', (_what, asked) => {
    expect(queries(asked)).toEqual([])
  })
})
