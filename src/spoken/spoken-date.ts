/**
 * Birth dates as callers say or type them. A date is accepted only if day, month and year are all certain: every
 * reading of the words is tried, and all must agree on one date. A two-digit year is not certain; 03/04/1980 is read in
 * the clinic's order.
 */
import { DateTime } from 'luxon'
import type { DateOrder } from '../clinics/settings.ts'
import { DIGITS, MONTHS, ORDINALS, ohForO, repeatDoubled, TEENS, TENS, WEEKDAYS } from './numbers.ts'
import { asRfc2822, bareValue, type ParsedValue, plain, plainNumber, tooLong, unclear, understood } from './spoken.ts'

/** No living person was born earlier, so a reading after this date is preferred. */
const EARLIEST_LIKELY = '1870-01-01'

/** Most words of a date without fillers; "monday march twenty first one thousand nine hundred eighty five" has ten. */
const MAX_WORDS = 12

const EXAMPLE = 'for example "March 3, 1980" or 1980-03-03'

/** Context that decides the meaning of a date. */
export interface DateLocale {
  /** The current time in the clinic's time zone; "in the past" means before its day. */
  readonly now: DateTime
  /** The order in which 03/04/1980 is read. */
  readonly dateOrder: DateOrder
}

/** Value: YYYY-MM-DD. */
export function spokenDate(text: string, { now, dateOrder }: DateLocale): ParsedValue {
  if (tooLong(text)) return unclear(TOO_LONG)
  const given = asRfc2822(plainNumber(text))
  const words = wordsOf(dateOfTimestamp(given, now) ?? bareValue(given.replace(MIDNIGHT, ''), 'date'))
  if (words.length > MAX_WORDS) return unclear(TOO_LONG)
  const [date, ...others] = likely(new Set(readings(words, dateOrder)))
  if (others.length > 0) {
    return unclear('The date can be read in more than one way; say the month by its name, for example "March 3, 1980"')
  }
  if (date === undefined) return unclear(whyNone(words))
  if (!weekdayAgrees(words, date))
    return unclear(`That date is another weekday; give day, month and year again, ${EXAMPLE}`)
  return date < now.toFormat('yyyy-MM-dd') ? understood(date) : unclear('The date of birth must be in the past')
}

const TOO_LONG = `That is too long for a date; give day, month and year, ${EXAMPLE}`

/** 20111220 is 20 December 2011, rather than 20 November 1220. */
function likely(dates: ReadonlySet<string>): readonly string[] {
  const recent = [...dates].filter((date) => date >= EARLIEST_LIKELY)
  return recent.length > 0 ? recent : [...dates]
}

/**
 * The date of a timestamp such as 1980-03-03T00:00:00Z. A program that writes its local midnight in UTC may write a
 * different day, so if there is a time of day, the date must be the same in the clinic's zone.
 */
function dateOfTimestamp(text: string, now: DateTime): string | undefined {
  const [, date, time] = TIMESTAMP.exec(text) ?? []
  if (date === undefined || time === undefined) return undefined
  if (/^00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i.test(time)) return date
  const local = DateTime.fromISO(`${date}T${time}`, { zone: now.zone })
  return local.toFormat('yyyy-MM-dd') === date ? date : undefined
}

/** The time of a date of RFC 2822 (https://www.rfc-editor.org/rfc/rfc2822#section-3.3): "Fri, 02 Oct 1987 00:00:00 GMT". */
const MIDNIGHT = /(?<=[a-z]{3} \d{4}) 00:00(?::00)?(?: (?:GMT|UT|[+-]\d{4}))?$/i

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}\S*)$/

/** Words between the parts of a date that carry no meaning. */
const FILLERS = new Set('uh um er the in on is and i was born comma slash dash hyphen dot point year'.split(' '))

function wordsOf(text: string): string[] {
  const words = plain(text)
    .toLowerCase()
    .split(/[\s,./-]+/)
    .filter((word) => word !== '' && !FILLERS.has(word))
  return repeatDoubled(words.map(ohForO))
}

/** Every date (YYYY-MM-DD) that the words can mean. */
function readings(all: readonly string[], order: DateOrder): string[] {
  const words = all.filter((word) => !WEEKDAYS.has(word))
  const unlabelled = words.filter((word) => !LABELS.includes(word))
  const month = unlabelled.findIndex((word) => MONTHS.has(word))
  if (month >= 0) return withMonthName(unlabelled, month)
  if (unlabelled.length < words.length) return labelled(words)
  const [solid = ''] = words
  if (words.length === 1 && /^\d{8}$/.test(solid)) return eightDigits(solid, order)
  const of = words.indexOf('of')
  return of > 0 ? dayOfMonth(words.slice(0, of), words.slice(of + 1)) : inNumbers(words, order)
}

const LABELS: readonly string[] = ['day', 'month']

/** "month three day four 1980": independent of the clinic's order. */
function labelled(words: readonly string[]): string[] {
  const day = words.indexOf('day')
  const month = words.indexOf('month')
  if (day < 0 || month < 0 || Math.min(day, month) > 0) return []
  const [first, last] = [Math.min(day, month), Math.max(day, month)]
  const head = words.slice(first + 1, last)
  const readingOf = (one: readonly string[], other: readonly string[], year: readonly string[]): string[] =>
    month < day ? dates(years(year), small(one), small(other)) : dates(years(year), small(other), small(one))
  return splits(words.slice(last + 1)).flatMap(([tail, year]) => readingOf(head, tail, year))
}

/** March 3 1980, 3 of March 1980, 1980 March 3. */
function withMonthName(words: readonly string[], at: number): string[] {
  const month = MONTHS.get(words[at] ?? '') ?? 0
  const before = words.slice(0, at).filter((word) => word !== 'of')
  const after = words.slice(at + 1).filter((word) => word !== 'of')
  const orders = [
    ...splits(after).flatMap(([day, year]) => (before.length === 0 ? [[day, year] as const] : [])),
    [before, after] as const,
    [after, before] as const,
  ]
  return orders.flatMap(([day, year]) => dates(years(year), [month], small(day)))
}

/** "the third of the fourth nineteen eighty": the part before "of" is the day. */
const dayOfMonth = (day: readonly string[], rest: readonly string[]): string[] =>
  splits(rest.filter((word) => word !== 'of')).flatMap(([month, year]) => dates(years(year), small(month), small(day)))

/**
 * A leading year means year-month-day; a trailing one day-month or month-day, in the clinic's order, or in the other
 * one if that gives no date (25/12/1980).
 */
function inNumbers(words: readonly string[], order: DateOrder): string[] {
  const yearFirst = splits(words).flatMap(([head, tail]) =>
    isCutInNumber(head, tail)
      ? []
      : splits(tail).flatMap(([month, day]) => dates(years(head), small(month), small(day))),
  )
  const yearLast = (one: DateOrder): string[] =>
    splits(words).flatMap(([head, tail]) =>
      splits(head).flatMap(([first, second]) =>
        one === 'month-first'
          ? dates(years(tail), small(first), small(second))
          : dates(years(tail), small(second), small(first)),
      ),
    )
  const inOrder = yearLast(order)
  const other = order === 'month-first' ? 'day-first' : 'month-first'
  return [...yearFirst, ...(inOrder.length > 0 ? inOrder : yearLast(other))]
}

/** "nineteen eighty three three" is 1983 with a missing part, or 1980. */
const isCutInNumber = (head: readonly string[], [next = '']: readonly string[]): boolean =>
  TENS.has(head.at(-1) ?? '') && (DIGITS.get(next) ?? 0) > 0

const eightDigits = (text: string, order: DateOrder): string[] => [
  ...inNumbers([text.slice(0, 4), text.slice(4, 6), text.slice(6)], order),
  ...inNumbers([text.slice(0, 2), text.slice(2, 4), text.slice(4)], order),
]

/** Every split of a list into two non-empty parts. */
const splits = (words: readonly string[]): (readonly [readonly string[], readonly string[]])[] =>
  words.slice(1).map((_word, index) => [words.slice(0, index + 1), words.slice(index + 1)] as const)

/** The valid dates among all combinations. */
function dates(year: readonly number[], month: readonly number[], day: readonly number[]): string[] {
  const all = year.flatMap((y) => month.flatMap((m) => day.map((d) => DateTime.utc(y, m, d))))
  return all.filter((date) => date.isValid).map((date) => date.toFormat('yyyy-MM-dd'))
}

/** Numbers from 0 to 99 that the words can mean (none or one): 3, three, oh three, twenty one, one nine. */
function small(words: readonly string[]): number[] {
  const [first = '', second] = words
  if (words.length === 1) return list(number(cardinal(first)))
  if (words.length !== 2 || second === undefined) return []
  if (!TENS.has(first)) return /^\d\d$/.test(digits(words)) ? [Number(digits(words))] : []
  const unit = digit(cardinal(second))
  return unit === undefined || unit === 0 ? [] : list(TENS.get(first)).map((tens) => tens + unit)
}

const digits = (words: readonly string[]): string => words.map((word) => digit(word) ?? ' ').join('')

/**
 * Turns "third" and 3rd into 3. Only the last word of a number is an ordinal: "first second" is two days.
 */
const cardinal = (word: string): string =>
  ORDINALS.get(word)?.toString() ?? word.replace(/^(\d{1,2})(?:st|nd|rd|th)$/, '$1')

const list = (value: number | undefined): number[] => (value === undefined ? [] : [value])

const number = (word: string): number | undefined =>
  /^\d{1,2}$/.test(word) ? Number(word) : (DIGITS.get(word) ?? TEENS.get(word) ?? TENS.get(word))

const digit = (word: string): number | undefined => (/^\d$/.test(word) ? Number(word) : DIGITS.get(word))

/** Four-digit years that the words can mean (none or one). */
function years(words: readonly string[]): number[] {
  const [first = ''] = words
  if (words.some((word) => cardinal(word) !== word)) return []
  if (words.length === 1 && /^[12]\d{3}$/.test(first)) return [Number(first)]
  const found = [...digitByDigit(words), ...inPairs(words), ...inScales(words)]
  return [...new Set(found)].filter((year) => year >= 1000 && year <= 2999)
}

/** "one nine eight zero" */
function digitByDigit(words: readonly string[]): number[] {
  const all = words.map(digit)
  return words.length === 4 && !all.includes(undefined) ? [Number(all.join(''))] : []
}

/** "nineteen eighty five", "nineteen oh five", 19 80. The second half must have two digits. */
function inPairs(words: readonly string[]): number[] {
  const [head = '', ...tail] = words
  const century = TEENS.get(head) ?? TENS.get(head) ?? (/^\d\d$/.test(head) ? Number(head) : undefined)
  if (century === undefined) return []
  const full =
    tail.length === 2 || (tail.length === 1 && (number(tail[0] ?? '') ?? 0) >= 10) || /^\d\d$/.test(tail.join(' '))
  return full ? small(tail).map((rest) => century * 100 + rest) : []
}

/** "two thousand", "two thousand one", "nineteen hundred five", "one thousand nine hundred eighty" */
function inScales(words: readonly string[]): number[] {
  const thousand = words.indexOf('thousand')
  const hundred = words.indexOf('hundred')
  if (thousand < 0 && hundred < 0) return []
  const thousands = thousand < 0 ? [0] : small(words.slice(0, thousand))
  const hundreds = hundred < 0 ? [0] : small(words.slice(thousand + 1, hundred))
  const tail = words.slice(Math.max(thousand, hundred) + 1)
  // "two thousand one two" is a year with an extra digit.
  const rest = tail.length === 0 ? [0] : tail.length === 2 && (digit(tail[0] ?? '') ?? 0) > 0 ? [] : small(tail)
  return thousands.flatMap((t) => hundreds.flatMap((h) => rest.map((r) => t * 1000 + h * 100 + r)))
}

function weekdayAgrees(words: readonly string[], date: string): boolean {
  const said = words.find((word) => WEEKDAYS.has(word))
  return said === undefined || WEEKDAYS.get(said) === DateTime.fromISO(date).weekday
}

function whyNone(words: readonly string[]): string {
  if (words.length === 0) return `The date of birth is missing; give day, month and year, ${EXAMPLE}`
  const noYear = splits(words).some(([head, tail]) => years(head).length + years(tail).length > 0)
  return noYear
    ? `That is not a date of the calendar; give day, month and year, ${EXAMPLE}`
    : `The date needs day, month and a year of four digits, ${EXAMPLE}`
}
