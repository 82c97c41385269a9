/** The folded parts of names: docs/operations/patient-match.md. */
import { expect, test } from '@jest/globals'
import { APOSTROPHE, namesOf } from '../../src/matching/names.ts'

const familyOf = (family: string): string | undefined => namesOf({ name: [{ family }] })[0]?.family

test.each(['D’Ávila', "D'Ávila", 'Dʻávila', 'D`A\u0301vila'])('%s has an apostrophe', (family) => {
  expect(familyOf(family)).toBe(`d${APOSTROPHE}avila`)
})

test('behind a letter with a mark, and between letters that take two UTF-16 units, there is one too', () => {
  expect(familyOf('De\u0301’Ath')).toBe(`de${APOSTROPHE}ath`)
  expect(familyOf('𐐀’𐐀')).toContain(APOSTROPHE)
})

test.each(["'Avila", "Avila'", "d 'Avila", "D''Avila", "D1'Avila"])('%s has none', (family) => {
  expect(familyOf(family)).not.toContain(APOSTROPHE)
})
