/** Lossless JSON: decimals keep their text. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isNumber, parseJson, writeJson } from '../../src/fhir/json.ts'
import { BudgetError } from '../../src/isolation/budget.ts'

describe('parseJson', () => {
  test.each([
    '{"value":1.00}',
    '{"value":1.0E+2}',
    '{"value":12345678901234567890}',
    '{"value":-0}',
    '{"a":[0.10,{"b":1e-7}]}',
    '[0.0000008,-0.00000012]',
  ])('a decimal that JavaScript would rewrite comes back as it was read: %s', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })

  test('any number comes back as it was read, wherever it stands', () => {
    const digits = (most: number) => fc.string({ unit: fc.constantFrom(...'0123456789', '0', '0'), maxLength: most })
    const whole = fc.oneof(
      fc.constant('0'),
      fc.tuple(fc.integer({ min: 1, max: 9 }), digits(18)).map(([first, rest]) => `${first}${rest}`),
    )
    const exponent = fc
      .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.integer({ min: 0, max: 99 }))
      .map((parts) => parts.join(''))
    const number = fc
      .tuple(fc.constantFrom('', '-'), whole, fc.option(digits(18), { nil: '' }), fc.option(exponent, { nil: '' }))
      .map(([sign, before, after, power]) => `${sign}${before}${after === '' ? '' : `.${after}`}${power}`)
    const texts = fc.oneof(
      number,
      fc.array(number).map((list) => `[${list.join()}]`),
      number.map((one) => `{"value":${one}}`),
    )
    fc.assert(
      fc.property(texts, (text) => {
        expect(JSON.stringify(parseJson(text))).toBe(text)
      }),
      { numRuns: 5_000 },
    )
  })

  test.each(['', ' ', '\n', '\t \r\n'])('white space around the colon (%j) changes nothing', (space) => {
    for (const name of ['a', '7', ''])
      expect(JSON.stringify(parseJson(`{"${name}"${space}:${space}1.50}`))).toBe(`{"${name}":1.50}`)
    expect(JSON.stringify(parseJson(`{"start":"T09:00:00.000Z","a"${space}:1.50}`))).toContain('1.50')
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

describe('writeJson', () => {
  const text = 'x'.repeat(1_000_000)
  const many = Array.from({ length: 40 }, () => text)

  test.each<[what: string, value: unknown]>([
    ['in a list', many],
    ['in objects of a list', many.map((value) => ({ value }))],
    ['as the names of properties', many.map((name) => ({ [name]: 1 }))],
    ['in lists within each other', many.reduce<unknown>((inner, one) => [one, inner], [])],
    ['in one object that is there many times', Array(40).fill({ part: [{ value: text }] })],
  ])('refuses a long text that is there many times, %s', (_what, value) => {
    expect(() => writeJson(value)).toThrow(BudgetError)
  })

  test('writes what is long, and what has many parts, as JSON.stringify does', () => {
    for (const value of [many.slice(0, 30), Array.from({ length: 300_000 }, (_none, code) => ({ code }))])
      expect(writeJson(value)).toBe(JSON.stringify(value))
  })
})
