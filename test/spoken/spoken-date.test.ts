/** Birth dates as callers say them (spec.md section 8: a real date in the past), only where all three parts are certain. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { spokenDate } from '../../src/spoken/spoken-date.ts'
import { ENDLESS, heardValue } from './support.ts'

const NOW = DateTime.fromISO('2025-06-15T12:00', { zone: 'America/New_York' })

const LOCALE = { now: NOW, dateOrder: 'month-first' } as const

const value = (text: string, now = NOW) => heardValue(spokenDate(text, { ...LOCALE, now }))

describe('a date whose day, month and year are certain', () => {
  test.each([
    '1980-03-03',
    '1980/03/03',
    '1980.3.3',
    '19800303',
    '3/3/1980',
    '03-03-1980',
    'March 3 1980',
    'march 3rd, 1980',
    'Mar. 3, 1980',
    '3 Mar 1980',
    '3-Mar-1980',
    '3rd of March 1980',
    'the third of March nineteen eighty',
    'March third nineteen eighty',
    'March the 3rd, nineteen eighty',
    'March three one nine eight zero',
    'March 3 19 80',
    '1980 March 3',
    'Monday, March 3rd, 1980',
    'three three nineteen eighty',
    'oh three oh three nineteen eighty',
    'zero three zero three one nine eight zero',
    'the third of the third nineteen eighty',
    'I was born on March third, nineteen eighty.',
    'my date of birth is March 3, 1980',
    'nineteen eighty oh three oh three',
    'March third one thousand nine hundred eighty',
  ])('%s', (text) => expect(value(text)).toBe('1980-03-03'))

  test.each([
    ['13/04/1980', '1980-04-13'],
    ['04/13/1980', '1980-04-13'],
    ['April thirteenth nineteen oh five', '1905-04-13'],
    ['may twenty first two thousand and one', '2001-05-21'],
    ['may twenty-first two thousand one', '2001-05-21'],
    ['may twenty two thousand one', '2001-05-20'],
    ['may twenty two two thousand', '2000-05-22'],
    ['May twenty twenty twenty', '2020-05-20'],
    ['the thirty first of december nineteen ninety nine', '1999-12-31'],
    ['December thirty one nineteen ninety-nine', '1999-12-31'],
    ['January first nineteen hundred', '1900-01-01'],
    ['January second nineteen hundred and five', '1905-01-02'],
    ['february twenty ninth two thousand four', '2004-02-29'],
    ['june fourteenth twenty ten', '2010-06-14'],
    ['june fourteen two double oh one', '2001-06-14'],
    ['four thirteen nineteen eighty', '1980-04-13'],
    ['the third of the fourth nineteen eighty', '1980-04-03'],
    ['04131980', '1980-04-13'],
  ])('%s is %s', (text, expected) => expect(value(text)).toBe(expected))
})

describe('day and month in figures', () => {
  test.each(['03/04/1980', '3-4-1980', 'oh three oh four nineteen eighty', '03041980'])(
    '%s is read in the order of the clinic',
    (text) => {
      expect(heardValue(spokenDate(text, { now: NOW, dateOrder: 'month-first' }))).toBe('1980-03-04')
      expect(heardValue(spokenDate(text, { now: NOW, dateOrder: 'day-first' }))).toBe('1980-04-03')
    },
  )
  test.each(['month-first', 'day-first'] as const)('are read the only way they can be, %s', (dateOrder) => {
    expect(heardValue(spokenDate('25/12/1980', { now: NOW, dateOrder }))).toBe('1980-12-25')
    expect(heardValue(spokenDate('12/25/1980', { now: NOW, dateOrder }))).toBe('1980-12-25')
    expect(heardValue(spokenDate('month three day four 1980', { now: NOW, dateOrder }))).toBe('1980-03-04')
  })
})

describe('a date that is not certain is refused, with a sentence that says what would be right', () => {
  test.each([
    '03/03/80',
    'March 3 80',
    'March third eighty',
    "March 3 '80",
    'March 3',
    'March 1980',
    'nineteen eighty',
    '80-03-13',
    '3',
    'yesterday',
    'last tuesday',
    '1980',
    'March third nineteen',
  ])('a part is missing or too short: %s', (text) =>
    expect(value(text)).toMatch(/^error: (The date needs|That is not a date)/),
  )
  test.each(['', '  ', 'my birthday is'])('nothing was said: "%s"', (text) => expect(value(text)).toMatch(/missing/))
  test('a weekday that does not belong to the date', () => expect(value('Tuesday March 3 1980')).toMatch(/weekday/))
})

describe('dateOfBirth must be a real date in the past', () => {
  test.each([
    'February 30 1980',
    '1981-02-29',
    'April thirty first nineteen eighty',
    '1980-13-41',
    '1980-00-10',
    'June zero 1980',
  ])('not a real date: %s', (text) => {
    expect(value(text)).toMatch(/^error: That is not a date of the calendar/)
  })
  test.each(['2025-06-15', '2025-06-16', 'March third twenty ninety', '2999-01-01'])('not in the past: %s', (text) => {
    expect(value(text)).toBe('error: The date of birth must be in the past')
  })
  test('yesterday is in the past', () => expect(value('2025-06-14')).toBe('2025-06-14'))
  test('today is decided in the time zone of the clinic', () => {
    const late = DateTime.fromISO('2025-06-15T03:00Z')
    expect(value('2025-06-14', late.setZone('America/New_York'))).toMatch(/past/)
    expect(value('2025-06-14', late.setZone('Europe/London'))).toBe('2025-06-14')
  })
  test('however long ago', () => {
    expect(value('1800-01-01')).toBe('1800-01-01')
    expect(value('December 31 1869')).toBe('1869-12-31')
  })
})

const ONES = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const ORDINAL: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
  twenty: 'twentieth',
  thirty: 'thirtieth',
}

const cardinal = (n: number): string =>
  n < 20 ? (ONES[n] ?? '') : [TENS[Math.floor(n / 10)], n % 10 === 0 ? '' : ONES[n % 10]].filter(Boolean).join(' ')
const ordinal = (n: number): string => cardinal(n).replace(/\w+$/, (word) => ORDINAL[word] ?? `${word}th`)

function sayYear(year: number, style: number): string {
  const [century, rest] = [Math.floor(year / 100), year % 100]
  if (style === 0) return String(year)
  if (style === 1) return [...String(year)].map((digit) => (digit === '0' ? 'oh' : ONES[Number(digit)])).join(' ')
  if (year % 1000 < 10) return `two thousand${rest === 0 ? '' : ` and ${cardinal(rest)}`}`
  return `${cardinal(century)} ${rest === 0 ? 'hundred' : rest < 10 ? `oh ${cardinal(rest)}` : cardinal(rest)}`
}

test('a date said in random style comes back', () => {
  const days = fc.integer({ min: 0, max: Math.floor(NOW.diff(DateTime.fromISO('1870-01-01'), 'days').days) - 2 })
  fc.assert(
    fc.property(days, fc.nat(2), fc.nat(3), fc.nat(3), fc.boolean(), (offset, yearStyle, dayStyle, order, short) => {
      const date = DateTime.fromISO('1870-01-01').plus({ days: offset })
      const month = short ? date.toFormat('LLL') : date.toFormat('LLLL')
      const day = [String(date.day), `${date.day}th`, cardinal(date.day), ordinal(date.day)][dayStyle]
      const year = sayYear(date.year, yearStyle)
      const said =
        [
          `${month} ${day}, ${year}`,
          `${day} ${month} ${year}`,
          `the ${day} of ${month} ${year}`,
          `${date.weekdayLong}, ${month} ${day} ${year}`,
        ][order] ?? ''
      expect(spokenDate(said, LOCALE)).toEqual({ ok: true, value: date.toFormat('yyyy-MM-dd') })
    }),
    { numRuns: 1000 },
  )
})

test('a date in figures is accepted as its ISO form, and in the order of the clinic', () => {
  const days = fc.integer({ min: 0, max: 55_000 })
  fc.assert(
    fc.property(days, (offset) => {
      const date = DateTime.fromISO('1870-01-01').plus({ days: offset })
      const iso = date.toFormat('yyyy-MM-dd')
      expect(value(iso)).toBe(iso)
      expect(value(date.toFormat('M-d-yyyy'))).toBe(iso)
      expect(value(date.toFormat('dd/MM/yyyy')) === iso).toBe(date.day > 12 || date.day === date.month)
    }),
  )
})

test.each(ENDLESS)('a text that is no value of this kind, however long, is refused', (text) =>
  expect(spokenDate(text, LOCALE).ok).toBe(false),
)
