/**
 * A birth date as callers say or type it. Accepted only when day, month and year are all certain: every way to read
 * the words is tried, and they must agree on one date. A year of two digits and 03/04/1980 are not certain.
 */
import { DateTime } from 'luxon'
import { DIGITS, ohForO, repeatDoubled, TEENS, TENS } from './numbers.ts'
import { type ParsedValue, plain, tooLong, unclear, understood } from './spoken.ts'

/** No living person was born earlier; such a year is a slip of the tongue or of the transcriber. */
const EARLIEST = '1870-01-01'

/** Words of a date without fillers; "monday march twenty first one thousand nine hundred eighty five" has ten. */
const MAX_WORDS = 12

const EXAMPLE = 'for example "March 3, 1980" or 1980-03-03'

/** @param now in the clinic's time zone; "in the past" means before its day. Value: YYYY-MM-DD. */
export function spokenDate(text: string, now: DateTime): ParsedValue {
  const words = tooLong(text) ? [] : wordsOf(text)
  if (tooLong(text) || words.length > MAX_WORDS)
    return unclear(`That is too long for a date; give day, month and year, ${EXAMPLE}`)
  const [date, ...others] = new Set(readings(words))
  if (others.length > 0) {
    return unclear('The date can be read in more than one way; say the month by its name, for example "March 3, 1980"')
  }
  if (date === undefined) return unclear(whyNone(words))
  if (!weekdayAgrees(words, date))
    return unclear(`That date is another weekday; give day, month and year again, ${EXAMPLE}`)
  if (date >= now.toFormat('yyyy-MM-dd')) return unclear('The date of birth must be in the past')
  if (date < EARLIEST) return unclear(`The date of birth must be a date since ${EARLIEST}`)
  return understood(date)
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH_NAME =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Said around a date, without meaning for it. */
const FILLERS = new Set(
  `uh um er so well yes okay ok my the i was am i'm born on in is it it's its that's and date birth birthday dob
  birthdate year day month comma slash dash hyphen dot point`.split(/\s+/),
)

const ORDINALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    first: 'one',
    second: 'two',
    third: 'three',
    fourth: 'four',
    fifth: 'five',
    sixth: 'six',
    seventh: 'seven',
    eighth: 'eight',
    ninth: 'nine',
    tenth: 'ten',
    eleventh: 'eleven',
    twelfth: 'twelve',
    thirteenth: 'thirteen',
    fourteenth: 'fourteen',
    fifteenth: 'fifteen',
    sixteenth: 'sixteen',
    seventeenth: 'seventeen',
    eighteenth: 'eighteen',
    nineteenth: 'nineteen',
    twentieth: 'twenty',
    thirtieth: 'thirty',
  }),
)

function wordsOf(text: string): string[] {
  const words = plain(text)
    .toLowerCase()
    .split(/[\s,./-]+/)
    .filter((word) => word !== '' && !FILLERS.has(word))
  return repeatDoubled(words.map(ohForO)).map(
    (word) => ORDINALS.get(word) ?? word.replace(/^(\d{1,2})(?:st|nd|rd|th)$/, '$1'),
  )
}

/** Every date (YYYY-MM-DD) that the words can mean. */
function readings(all: readonly string[]): string[] {
  const words = all.filter((word) => !WEEKDAYS.includes(word))
  const month = words.findIndex((word) => MONTH_NAME.test(word))
  if (month >= 0) return withMonthName(words, month)
  const [solid = ''] = words
  if (words.length === 1 && /^\d{8}$/.test(solid)) return eightDigits(solid)
  const of = words.indexOf('of')
  return of > 0 ? dayOfMonth(words.slice(0, of), words.slice(of + 1)) : inNumbers(words)
}

/** March 3 1980, 3 of March 1980, 1980 March 3. */
function withMonthName(words: readonly string[], at: number): string[] {
  const month = MONTHS.indexOf((words[at] ?? '').slice(0, 3)) + 1
  const before = words.slice(0, at).filter((word) => word !== 'of')
  const after = words.slice(at + 1).filter((word) => word !== 'of')
  const orders = [
    ...splits(after).flatMap(([day, year]) => (before.length === 0 ? [[day, year] as const] : [])),
    [before, after] as const,
    [after, before] as const,
  ]
  return orders.flatMap(([day, year]) => dates(years(year), [month], small(day)))
}

/** "the third of the fourth nineteen eighty": what is said before "of" is the day. */
const dayOfMonth = (day: readonly string[], rest: readonly string[]): string[] =>
  splits(rest.filter((word) => word !== 'of')).flatMap(([month, year]) => dates(years(year), small(month), small(day)))

/** Year first is year-month-day; year last is day-month or month-day, whichever is a date. */
function inNumbers(words: readonly string[]): string[] {
  return splits(words).flatMap(([head, tail]) => [
    ...splits(tail).flatMap(([month, day]) => dates(years(head), small(month), small(day))),
    ...splits(head).flatMap(([one, two]) => [
      ...dates(years(tail), small(one), small(two)),
      ...dates(years(tail), small(two), small(one)),
    ]),
  ])
}

const eightDigits = (text: string): string[] => [
  ...inNumbers([text.slice(0, 4), text.slice(4, 6), text.slice(6)]),
  ...inNumbers([text.slice(0, 2), text.slice(2, 4), text.slice(4)]),
]

/** Every way to cut a list in two that are not empty. */
const splits = (words: readonly string[]): (readonly [readonly string[], readonly string[]])[] =>
  words.slice(1).map((_word, index) => [words.slice(0, index + 1), words.slice(index + 1)] as const)

/** The real dates among all combinations. */
function dates(year: readonly number[], month: readonly number[], day: readonly number[]): string[] {
  const all = year.flatMap((y) => month.flatMap((m) => day.map((d) => DateTime.utc(y, m, d))))
  return all.filter((date) => date.isValid).map((date) => date.toFormat('yyyy-MM-dd'))
}

/** The number from 0 to 99 that the words can mean (none or one): 3, three, oh three, twenty one, one nine. */
function small(words: readonly string[]): number[] {
  const [first = '', second] = words
  if (words.length === 1) return list(number(first))
  if (words.length !== 2 || second === undefined) return []
  const unit = digit(second)
  const tens = TENS.get(first) ?? (digit(first) === undefined ? undefined : Number(digit(first)) * 10)
  return tens === undefined || unit === undefined || (TENS.has(first) && unit === 0) ? [] : [tens + unit]
}

const list = (value: number | undefined): number[] => (value === undefined ? [] : [value])

const number = (word: string): number | undefined =>
  /^\d{1,2}$/.test(word) ? Number(word) : (DIGITS.get(word) ?? TEENS.get(word) ?? TENS.get(word))

const digit = (word: string): number | undefined => (/^\d$/.test(word) ? Number(word) : DIGITS.get(word))

/** The year of four digits that the words can mean (none or one). */
function years(words: readonly string[]): number[] {
  const [first = ''] = words
  if (words.length === 1 && /^[12]\d{3}$/.test(first)) return [Number(first)]
  const found = [...digitByDigit(words), ...inPairs(words), ...inScales(words)]
  return [...new Set(found)].filter((year) => year >= 1000 && year <= 2999)
}

/** one nine eight zero */
function digitByDigit(words: readonly string[]): number[] {
  const all = words.map(digit)
  return words.length === 4 && !all.includes(undefined) ? [Number(all.join(''))] : []
}

/** nineteen eighty five, nineteen oh five, 19 80; the second half must have two digits, or it is not a year. */
function inPairs(words: readonly string[]): number[] {
  const [head = '', ...tail] = words
  const century = TEENS.get(head) ?? TENS.get(head) ?? (/^\d\d$/.test(head) ? Number(head) : undefined)
  if (century === undefined) return []
  const full =
    tail.length === 2 || (tail.length === 1 && (number(tail[0] ?? '') ?? 0) >= 10) || /^\d\d$/.test(tail.join(' '))
  return full ? small(tail).map((rest) => century * 100 + rest) : []
}

/** two thousand, two thousand one, nineteen hundred five, one thousand nine hundred eighty */
function inScales(words: readonly string[]): number[] {
  const thousand = words.indexOf('thousand')
  const hundred = words.indexOf('hundred')
  if (thousand < 0 && hundred < 0) return []
  const thousands = thousand < 0 ? [0] : small(words.slice(0, thousand))
  const hundreds = hundred < 0 ? [0] : small(words.slice(thousand + 1, hundred))
  const tail = words.slice(Math.max(thousand, hundred) + 1)
  const rest = tail.length === 0 ? [0] : small(tail)
  return thousands.flatMap((t) => hundreds.flatMap((h) => rest.map((r) => t * 1000 + h * 100 + r)))
}

function weekdayAgrees(words: readonly string[], date: string): boolean {
  const said = words.find((word) => WEEKDAYS.includes(word))
  return said === undefined || WEEKDAYS[DateTime.fromISO(date).weekday - 1] === said
}

function whyNone(words: readonly string[]): string {
  if (words.length === 0) return `The date of birth is missing; give day, month and year, ${EXAMPLE}`
  const noYear = splits(words).some(([head, tail]) => years(head).length + years(tail).length > 0)
  return noYear
    ? `That is not a date of the calendar; give day, month and year, ${EXAMPLE}`
    : `The date needs day, month and a year of four digits, ${EXAMPLE}`
}
