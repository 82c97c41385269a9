/** Texts as search values: https://hl7.org/fhir/R4/search.html#escaping. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { escaped, splitUnescaped, tokenText, unescaped } from '../../src/search/value.ts'

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\\', ',', '|', '$') })

describe('a text that is escaped', () => {
  test('is one value and one part, and the same again without its escapes', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const separator of [',', '|', '$'] as const)
          expect(splitUnescaped(escaped(given), separator)).toEqual([escaped(given)])
        expect(unescaped(escaped(given))).toBe(given)
      }),
    )
  })

  test('is a system or a code of a token, whatever ends the other', () => {
    fc.assert(
      fc.property(text, text, (system, code) => {
        expect(splitUnescaped(tokenText(system, code), '|').map(unescaped)).toEqual([system, code])
        expect(splitUnescaped(tokenText(undefined, code), '|').map(unescaped)).toEqual([code])
      }),
    )
  })
})
