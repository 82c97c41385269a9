/** Suggestions for names that there are not. */
import { describe, expect, test } from '@jest/globals'
import { closestName, noResourceType } from '../../src/fhir/closest-name.ts'

describe('the closest name', () => {
  test.each([
    ['familly', 'family'],
    ['FAMILY', 'family'],
    ['nam', 'name'],
    ['x', undefined],
    ['something', undefined],
    ['', undefined],
    ['f'.repeat(65), undefined],
  ])('to %s is %s', (name, expected) => expect(closestName(name, ['given', 'family', 'name'])).toBe(expected))

  test.each([
    ['patientFamilyName1980', undefined],
    ['theFamilyOfThePatient', 'family'],
    ['fam', undefined],
  ])('to a longer name is the only one that it holds: %s, %s', (name, expected) =>
    expect(closestName(name, ['given', 'family', 'name'])).toBe(expected),
  )

  test('of none is none', () => expect(closestName('family', [])).toBeUndefined())
})

test.each([
  ['Patent', "there is no resource type 'Patent'; did you mean Patient?"],
  ['*', "there is no resource type '*'; see /metadata for the types it serves"],
])('%s is no resource type, and what would be right is said where that is clear', (type, message) => {
  expect(noResourceType(type)).toBe(message)
})
