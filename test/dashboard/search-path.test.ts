/** A search in parts: it is written as an address, and read back from any. */
import { describe, expect, test } from '@jest/globals'
import { modifiersOf, readSearch, type SearchRow, writeSearch } from '../../dashboard/fhir/search-path.ts'

const KINDS: Readonly<Record<string, string>> = { name: 'string', birthdate: 'date', value: 'quantity', code: 'token' }
const kindOf = (name: string) => KINDS[name]
const row = (name: string, value: string, more: Partial<SearchRow> = {}): SearchRow => ({
  ...{ name, value, modifier: '', prefix: '' },
  ...more,
})

describe('an address is read', () => {
  test.each<[string, readonly SearchRow[]]>([
    ['Patient', []],
    ['/Patient?name=Ruth', [row('name', 'Ruth')]],
    ['Patient?name:exact=Ruth%20A', [row('name', 'Ruth A', { modifier: 'exact' })]],
    ['Patient?birthdate=ge1941-02-17', [row('birthdate', '1941-02-17', { prefix: 'ge' })]],
    ['Patient?name=gerald', [row('name', 'gerald')]],
    [
      'Observation?value=lt5.40|http://unitsofmeasure.org|mg',
      [row('value', '5.40|http://unitsofmeasure.org|mg', { prefix: 'lt' })],
    ],
    ['Patient?birthdate:missing=true', [row('birthdate', 'true', { modifier: 'missing' })]],
    ['Patient?_has:Observation:patient:code=1', [row('_has:Observation:patient:code', '1')]],
    ['Observation?subject:Patient.name=x', [row('subject:Patient.name', 'x')]],
    [
      'Slot?_include:iterate=Schedule:actor&_sort=-start,_id',
      [row('_include', 'Schedule:actor', { modifier: 'iterate' }), row('_sort', '-start,_id')],
    ],
  ])('%s', (path, rows) => {
    expect(readSearch(path, kindOf)?.rows).toEqual(rows)
  })

  test.each(['Patient/1', '', 'metadata', 'Patient/_history', 'Patient/$match', '?_type=Patient'])(
    'and is no search of a type: %j',
    (path) => expect(readSearch(path, kindOf)).toBeUndefined(),
  )
})

test.each([
  'Patient',
  'Patient?name:exact=Ruth%20A&birthdate=ge1941-02-17&_include=Patient:organization&_sort=-birthdate',
  'Observation?code=http://loinc.org|1,http://loinc.org|2&subject:Patient.name=x',
  'Patient?name=a%26b%3Dc%2Bd&_has:Observation:patient:code=1',
])('an address is written as it was read: %s', (path) => {
  const search = readSearch(path, kindOf)
  expect(search && writeSearch(search)).toBe(path)
})

test('modifiers are those of the type of the parameter', () => {
  expect(modifiersOf('name', 'string')).toEqual(['exact', 'contains', 'missing'])
  expect(modifiersOf('birthdate', 'date')).toEqual(['missing'])
  expect(modifiersOf('_include', undefined)).toEqual(['iterate'])
  expect(modifiersOf('_count', undefined)).toEqual([])
})
