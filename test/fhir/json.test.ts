/** Lossless JSON: decimals keep their text. */
import { describe, expect, test } from '@jest/globals'
import { isNumber, parseJson } from '../../src/fhir/json.ts'

describe('parseJson', () => {
  test.each([
    '{"value":1.00}',
    '{"value":1.0E+2}',
    '{"value":12345678901234567890}',
    '{"value":-0}',
    '{"a":[0.10,{"b":1e-7}]}',
  ])('a decimal that JavaScript would rewrite comes back as it was read: %s', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })

  test('a lossless decimal is a number to calculate with', () => {
    const { value } = parseJson('{"value":1.50}') as { value: number }
    expect(isNumber(value)).toBe(true)
    expect(Number(value) + 1).toBe(2.5)
  })

  test('numbers inside strings are left alone', () => {
    expect(parseJson('{"text":"1.00"}')).toEqual({ text: '1.00' })
  })
})
