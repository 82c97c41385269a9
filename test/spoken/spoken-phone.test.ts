/** Phone numbers as callers say them (spec.md section 8: 7 to 15 digits after formatting is stripped). */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { spokenPhone } from '../../src/spoken/spoken-phone.ts'
import { ENDLESS, heardValue } from './support.ts'

const value = (text: string, region = 'US') => heardValue(spokenPhone(text, region))

describe('a phone number that is understood', () => {
  test.each([
    ['(212) 555-0123', 'US', '+12125550123'],
    ['212.555.0123', 'US', '+12125550123'],
    ['212/555/0123', 'US', '+12125550123'],
    ['tel:+1-212-555-0123', 'US', '+12125550123'],
    ['1 212 555 0123', 'US', '+12125550123'],
    ['\u202a+1 212 555 0123\u202c', 'US', '+12125550123'],
    ['212\u2011555\u20130123', 'US', '+12125550123'],
    ['+44 (0)20 7946 0958', 'US', '+442079460958'],
    ['0044 20 7946 0958', 'US', '+442079460958'],
    ['011 44 20 7946 0958', 'US', '+442079460958'],
    ['020 7946 0958', 'GB', '+442079460958'],
    ['two one two, five five five, oh one double two', 'US', '+12125550122'],
    ['five five five, oh one double two', 'US', '5550122'],
    ['plus one two one two five five five zero one two three', 'GB', '+12125550123'],
    ['plus four four two zero seven nine four six oh nine five eight', 'US', '+442079460958'],
    ['triple five o one two three', 'US', '5550123'],
    ['one eight hundred five five five oh one two three', 'US', '+18005550123'],
    ['my number is area code two one two dash five five five dash zero one two three', 'US', '+12125550123'],
    ['two one two five five five nineteen eighty', 'US', '+12125551980'],
    ['two one two five five five twenty one twelve', 'US', '+12125552112'],
    ['two-one-two five-five-five zero-one-two-three', 'US', '+12125550123'],
    ['It’s 212 555 0123.', 'US', '+12125550123'],
  ])('%s (%s) is %s', (text, region, expected) => {
    expect(value(text, region)).toBe(expected)
  })

  test.each([
    '212-555-0123 x12',
    '212 555 0123 ext. 12',
    '212 555 0123;ext=12',
    '212 555 0123 extension one two',
    '212 555 0123 #12',
    '212 555 0123, ext 12',
    '(212)5550123x9',
  ])('an extension is cut off first: %s', (text) => expect(value(text)).toBe('+12125550123'))
})

describe('a zero in brackets after the country code', () => {
  test.each([
    ['the United Kingdom, where it is the trunk prefix', '+44 (0)20 7946 0958', '+442079460958'],
    ['Germany, after 00', '0049 (0)30 901820', '+4930901820'],
    ['Hungary, where the trunk prefix is 06', '+36 (0)1 234 5678', '+3612345678'],
    ['Russia, where it is 8', '+7 (0)495 123 4567', '+74951234567'],
    ['Kazakhstan, where it is 8 too', '+7 (0)727 258 1234', '+77272581234'],
    ['the USA, where it is 1', '+1 (0)212 555 0123', '+12125550123'],
    ['Italy, before the number of a mobile phone', '+39 (0)347 123 4567', '+393471234567'],
  ])('is left out of a number of %s: %s', (_where, text, expected) => {
    expect(value(text, 'US')).toBe(expected)
  })

  test.each([
    ['Italy', '+39 (0)6 698 12345', '+390669812345'],
    ['Italy, after 00', '0039 (0)6 698 12345', '+390669812345'],
    ['San Marino', '+378 (0)549 886377', '+3780549886377'],
    ['Ivory Coast', '+225 (0)7 12 34 56 78', '+2250712345678'],
  ])('stays in a number of %s, which begins with it: %s', (_where, text, expected) => {
    expect(value(text, 'US')).toBe(expected)
  })
})

describe('a phone number never gets a country it did not name', () => {
  test('a number that is not possible in the region keeps its digits', () => {
    expect(value('447911123456', 'US')).toBe('447911123456')
    expect(value('555-0123', 'US')).toBe('5550123')
  })
  test('without a region a national number keeps its digits', () => {
    expect(spokenPhone('212 555 0123', undefined)).toEqual({ ok: true, value: '2125550123' })
    expect(spokenPhone('212 555 0123', 'Nowhere')).toEqual({ ok: true, value: '2125550123' })
  })
  test('011 is a prefix only where the number is not possible as it stands', () => {
    expect(value('0113 496 0000', 'GB')).toBe('+441134960000')
  })
  test('an international number that is not possible keeps + and its digits', () => {
    expect(value('+999 1234567')).toBe('+9991234567')
  })
})

describe('a phone number has 7 to 15 digits after formatting is stripped', () => {
  test.each([
    ['123456', 6],
    ['(12) 34-56', 6],
    ['1234567890123456', 16],
    ['five five five', 3],
  ])('%s is refused and the error names its %i digits', (text, count) => {
    expect(value(text)).toBe(`error: The phone number has ${count} digits; it must have 7 to 15`)
  })
  test.each(['1234567', '123456789012345'])('%s is accepted', (text) => expect(value(text)).not.toMatch(/^error/))
  test('a number of any 7 to 15 digits is accepted, and of any other count refused', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{0,19}$/), (digits) => {
        expect(spokenPhone(digits, 'US').ok).toBe(digits.length >= 7 && digits.length <= 15)
      }),
    )
  })
})

describe('anything else is refused', () => {
  test.each(['1-800-FLOWERS', 'call me maybe', '555-O12Z', '12345678a'])('letters are an error: %s', (text) => {
    expect(value(text)).toBe('error: The phone number contains letters; give it in digits only, 7 to 15 of them')
  })
  test.each(['555+0123000', '5550123*000', '++12125550123', '555_0123'])('signs are an error: %s', (text) => {
    expect(value(text)).toMatch(/signs that do not belong there/)
  })
  test.each(['', '   ', '()', 'my number is'])('nothing is missing: "%s"', (text) =>
    expect(value(text)).toMatch(/missing/),
  )
})

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const SEPARATORS = [' ', ', ', ' dash ', ' - ', '. ', ' uh ']

/** Says digits in random style: figures, words, oh, doubles, separators. */
function say(digits: string, style: readonly number[]): string {
  const runs = digits.match(/(\d)\1\1|(\d)\2|\d/g) ?? []
  return runs
    .map((run, index) => sayRun(run, style[index] ?? 0) + SEPARATORS[(style[index] ?? 0) % SEPARATORS.length])
    .join('')
}

function sayRun(run: string, choice: number): string {
  const words = [...run].map((digit) =>
    digit === '0' ? ['zero', 'oh', 'O'][choice % 3] : choice % 4 === 1 ? digit : WORDS[Number(digit)],
  )
  if (run.length === 1 || choice % 2 === 0) return words.join(' ')
  return `${run.length === 2 ? 'double' : 'triple'} ${words[0]}`
}

test('a number said in random style comes back digit by digit', () => {
  const styles = fc.array(fc.nat(59), { minLength: 15, maxLength: 15 })
  fc.assert(
    fc.property(fc.stringMatching(/^[1-9]\d{6,13}$/), styles, (digits, style) => {
      expect(spokenPhone(say(digits, style), undefined)).toEqual({ ok: true, value: digits })
    }),
    { numRuns: 500 },
  )
})

test.each(ENDLESS)('a text that is no value of this kind, however long, is refused', (text) =>
  expect(spokenPhone(text, 'US').ok).toBe(false),
)
