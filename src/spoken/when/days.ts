/** Days as callers say them: "next Tuesday", "the day after tomorrow", "in two weeks", "not before the fifth of March". */
import type { DateTime } from 'luxon'
import { MONTHS, WEEKDAYS } from '../numbers.ts'
import {
  type Calendar,
  type DaySpec,
  type Days,
  month,
  namedMonth,
  oneDay,
  type Readings,
  readingsOf,
  type Weekday,
  week,
  weekend,
  year,
} from './calendar.ts'
import { either, literal, number, one, phrase, type Reader } from './phrase.ts'

/** The weekday with this name. */
const weekdayNamed = (name: string): Weekday | undefined => WEEKDAYS.get(name) as Weekday | undefined

const UNITS: ReadonlyMap<string, 'days' | 'weeks' | 'months' | 'years'> = new Map(
  (['days', 'weeks', 'months', 'years'] as const).flatMap((unit) => [[unit.slice(0, -1), unit] as const, [unit, unit]]),
)

export const weekdayName = one((token) => weekdayNamed(token.text.replace(/'s$/, '')))
/** "mondays" */
export const weekdayPlural = one((token) =>
  token.text.endsWith('s') ? weekdayNamed(token.text.slice(0, -1)) : undefined,
)
const monthName = one((token) => MONTHS.get(token.text))
const unit = one((token) => UNITS.get(token.text))
export const count = one((token) => {
  if (token.kind === 'number') return token.value >= 1 && token.value <= 99 ? token.value : undefined
  return token.text === 'a' || token.text === 'an' ? 1 : undefined
})
const severalOf = one((token) =>
  token.kind === 'number' && token.value >= 2 && token.value < 100 ? token.value : undefined,
)
export const nth = one((token) => (token.kind === 'ordinal' ? token.value : undefined))
const dayNumber = one((token) =>
  token.kind === 'ordinal' || (token.kind === 'number' && token.value >= 1 && token.value <= 31)
    ? token.value
    : undefined,
)

/** 2027, "twenty twenty seven", "two thousand (and) twenty seven". */
const yearNumber = either(
  number(1900, 2999),
  phrase`${number(20, 20)} ${number(20, 99)}`((century, rest) => century * 100 + rest),
  phrase`2|two thousand [and] ${number(1, 99)}`((rest) => 2000 + rest),
)

const span = (read: (calendar: Calendar) => Readings): DaySpec => ({ kind: 'span', read })
const ahead = (amount: Readonly<Record<string, number>>): DaySpec => span(({ today }) => [oneDay(today.plus(amount))])
const weekday = (which: (DaySpec & { kind: 'weekday' })['which'], weeks = 0) => {
  return (name: Weekday): DaySpec => ({ kind: 'weekday', weekday: name, which, weeks })
}
const date = (day: number, ofMonth?: number, ofYear?: number): DaySpec => ({
  kind: 'date',
  day,
  ...(ofMonth !== undefined && { month: ofMonth }),
  ...(ofYear !== undefined && { year: ofYear }),
})

/** Regions with the month before the day. */
const MONTH_FIRST: ReadonlySet<string> = new Set(['US'])

/**
 * The region's order, or the other one if that gives no date (25/12 in the US). With dots the day is first in most
 * places, so in a region with the month first both orders are possible.
 */
function inFigures([first, second, ofYear]: readonly [number, number, number | undefined], dotted: boolean): DaySpec {
  return span((calendar) => {
    const dayFirst = readingsOf(date(first, second, ofYear), calendar)
    const monthFirst = readingsOf(date(second, first, ofYear), calendar)
    if (!MONTH_FIRST.has(calendar.region)) return dayFirst.length > 0 ? dayFirst : monthFirst
    if (dotted) return [...monthFirst, ...dayFirst]
    return monthFirst.length > 0 ? monthFirst : dayFirst
  })
}

const figures = one((token) =>
  token.kind === 'figures' ? inFigures(token.parts, token.text.includes('.')) : undefined,
)
const isoDate = one((token) => (token.kind === 'date' ? date(token.day, token.month, token.year) : undefined))

const HOLIDAYS: readonly (readonly [words: string, day: number, ofMonth: number])[] = [
  ['christmas eve', 24, 12],
  ['christmas day', 25, 12],
  ['boxing day', 26, 12],
  ["new year's|years eve", 31, 12],
  ["new year's|years day", 1, 1],
  ["valentine's|valentines day", 14, 2],
  ['halloween', 31, 10],
]

/** Single days. */
const day: Reader<DaySpec> = either(
  phrase`today`(() => ahead({})),
  phrase`tomorrow`(() => ahead({ days: 1 })),
  phrase`day after tomorrow`(() => ahead({ days: 2 })),
  phrase`yesterday`(() => ahead({ days: -1 })),
  phrase`${weekdayName}`(weekday('bare')),
  phrase`next ${weekdayName}`(weekday('next')),
  phrase`following ${weekdayName}`(weekday('following')),
  phrase`this ${weekdayName}`(weekday('this')),
  phrase`[this] coming|upcoming ${weekdayName}`(weekday('coming')),
  phrase`last ${weekdayName}`(weekday('last')),
  phrase`${weekdayName} after next`(weekday('after-next')),
  phrase`[a|1|one] week [from] ${weekdayName}`(weekday('bare', 1)),
  phrase`${weekdayName} week`(weekday('bare', 1)),
  phrase`${severalOf} weeks from ${weekdayName}`((weeks, name) => weekday('bare', weeks)(name)),
  phrase`[a|1|one] week from tomorrow`(() => ahead({ days: 8 })),
  phrase`tomorrow week`(() => ahead({ days: 8 })),
  phrase`[in] ${count} ${unit} [time] from now|today`((amount, units) => ahead({ [units]: amount })),
  phrase`in ${count} ${unit} [time]`((amount, units) => ahead({ [units]: amount })),
  phrase`today week`(() => ahead({ days: 7 })),
  phrase`in a|1|one fortnight [time]`(() => ahead({ days: 14 })),
  phrase`a fortnight [from] [now|today]`(() => ahead({ days: 14 })),
  phrase`${monthName} ${dayNumber}`((ofMonth, dayOf) => date(dayOf, ofMonth)),
  phrase`${dayNumber} ${monthName}`((dayOf, ofMonth) => date(dayOf, ofMonth)),
  phrase`${monthName} ${dayNumber} ${yearNumber}`((ofMonth, dayOf, ofYear) => date(dayOf, ofMonth, ofYear)),
  phrase`${dayNumber} ${monthName} ${yearNumber}`((dayOf, ofMonth, ofYear) => date(dayOf, ofMonth, ofYear)),
  phrase`${nth}`((dayOf) => date(dayOf)),
  phrase`${nth} this month`((dayOf) =>
    span(({ today }) => readingsOf(date(dayOf, today.month, today.year), { today, region: '' })),
  ),
  phrase`${nth} next month`((dayOf) =>
    span((calendar) => {
      const { month: ofMonth, year: ofYear } = calendar.today.startOf('month').plus({ months: 1 })
      return readingsOf(date(dayOf, ofMonth, ofYear), calendar)
    }),
  ),
  ...HOLIDAYS.map(([words, dayOf, ofMonth]) => literal(words)(() => date(dayOf, ofMonth))),
  figures,
  isoDate,
)

const upToFifth = one((token) => (token.kind === 'ordinal' && token.value <= 5 ? token.value : undefined))
/** A position within the month; negative from its end. */
const place = either(
  upToFifth,
  literal('last')(() => -1),
  phrase`${upToFifth} to last`((which) => -which),
)
const wholeMonth: Reader<(calendar: Calendar) => Readings> = either(
  phrase`[in] ${monthName}`((ofMonth) => (calendar) => namedMonth(ofMonth, undefined, calendar)),
  phrase`[in] ${monthName} ${yearNumber}`((ofMonth, ofYear) => (calendar) => namedMonth(ofMonth, ofYear, calendar)),
  phrase`[in] this month`(() => (calendar) => month(0, calendar)),
  phrase`[in] next month`(() => (calendar) => month(1, calendar)),
)

const anchored = (read: (calendar: Calendar) => Readings): DaySpec => ({ kind: 'span', read, anchored: true })

/** The first such weekday from `start` on. */
const firstWeekday = (name: Weekday, start: DateTime): DateTime => start.plus({ days: (name - start.weekday + 7) % 7 })
/** The last such weekday before `end`. */
const lastWeekday = (name: Weekday, end: DateTime): DateTime => firstWeekday(name, end.minus({ weeks: 1 }))

/** "the second Tuesday in December", "the last Friday of next month" */
const nthWeekday = (which: number, name: Weekday, inMonth: (calendar: Calendar) => Readings): DaySpec =>
  anchored((calendar) =>
    inMonth(calendar).flatMap(({ from, until }) => {
      if (until === undefined) return []
      const found =
        which > 0
          ? firstWeekday(name, from).plus({ weeks: which - 1 })
          : lastWeekday(name, until).minus({ weeks: -which - 1 })
      return found >= from && found < until ? [oneDay(found)] : []
    }),
  )

/** "The second Tuesday" does not mean the second day of the month. */
const dayOfNthWeekday: Reader<DaySpec> = either(
  phrase`${upToFifth} ${weekdayName}`(() => span(() => [])),
  phrase`${place} ${weekdayName} ${wholeMonth}`(nthWeekday),
)

/** The last seven days. */
const endOf = (inMonth: (calendar: Calendar) => Readings): DaySpec =>
  span((calendar) =>
    inMonth(calendar).flatMap(({ until }) => (until === undefined ? [] : [{ from: until.minus({ days: 7 }), until }])),
  )

/** Ranges of days. */
const days: Reader<DaySpec> = either(
  phrase`this week`(() => span((calendar) => week(0, calendar))),
  phrase`rest [this] week`(() => span((calendar) => week(0, calendar))),
  phrase`next week`(() => span((calendar) => week(1, calendar))),
  phrase`in|within|over|during next week`(() =>
    span((calendar) => [...week(1, calendar), ...readingsOf(fromToday({ weeks: 1 }), calendar)]),
  ),
  phrase`[a|1|one] week after next`(() => span((calendar) => week(2, calendar))),
  phrase`week ${day}`((of) => (of.kind === 'date' || of.kind === 'span' ? weekOf(of) : undefined)),
  phrase`this month`(() => span((calendar) => month(0, calendar))),
  phrase`next month`(() => span((calendar) => month(1, calendar))),
  phrase`[at] end ${wholeMonth}`(endOf),
  phrase`[at] end month`(() => endOf((calendar) => month(0, calendar))),
  phrase`month after next`(() => span((calendar) => month(2, calendar))),
  phrase`[in|during] ${monthName}`((ofMonth) => span((calendar) => namedMonth(ofMonth, undefined, calendar))),
  phrase`[in|during] ${monthName} ${yearNumber}`((ofMonth, ofYear) =>
    span((calendar) => namedMonth(ofMonth, ofYear, calendar)),
  ),
  phrase`this year`(() => span((calendar) => year(0, calendar))),
  phrase`next year`(() => span((calendar) => year(1, calendar))),
  phrase`[at|over|this] weekend`(() => span((calendar) => weekend('this', calendar))),
  phrase`this coming weekend`(() => span((calendar) => weekend('this', calendar))),
  phrase`next weekend`(() => span((calendar) => weekend('next', calendar))),
  phrase`[in|within|over|during] next ${severalOf} ${unit}`((amount, units) => fromToday({ [units]: amount })),
  phrase`within ${count} ${unit}`((amount, units) => fromToday({ [units]: amount })),
)

/** The week, from Monday, that contains this day. */
const weekOf = (of: DaySpec): DaySpec =>
  span((calendar) =>
    readingsOf(of, calendar).map(({ from }) => ({
      from: from.startOf('week'),
      until: from.startOf('week').plus({ weeks: 1 }),
    })),
  )

const fromToday = (amount: Readonly<Record<string, number>>): DaySpec =>
  span(({ today }) => [{ from: today, until: today.plus(amount).plus({ days: 1 }) }])

const mapped = (spec: DaySpec, change: (days: Days, calendar: Calendar) => readonly Days[]): DaySpec =>
  span((calendar) => readingsOf(spec, calendar).flatMap((days) => change(days, calendar)))

const unanchored = either(dayOfNthWeekday, day, days)

/** Single days relative to another day: "the Friday before the 12th" is one Friday. */
const anchoredDay: Reader<DaySpec> = either(
  phrase`${weekdayName} after ${unanchored}`((name, spec) =>
    besides(spec, ({ until }) => (until === undefined ? [] : [firstWeekday(name, until)])),
  ),
  phrase`${weekdayName} before ${unanchored}`((name, spec) => besides(spec, ({ from }) => [lastWeekday(name, from)])),
  phrase`day after ${unanchored}`((spec) => dayAfter(spec)),
  phrase`day before ${unanchored}`((spec) => dayBefore(spec)),
)

const dayAfter = (spec: DaySpec): DaySpec => besides(spec, ({ until }) => (until === undefined ? [] : [until]))
const dayBefore = (spec: DaySpec): DaySpec => besides(spec, ({ from }) => [from.minus({ days: 1 })])

const besides = (spec: DaySpec, find: (days: Days) => readonly DateTime[]): DaySpec =>
  anchored((calendar) =>
    readingsOf(spec, calendar).flatMap((days) => find(days).map((found) => withDoubt(oneDay(found), days))),
  )

const dayOrDays = either(unanchored, anchoredDay)

const withDoubt = (range: Days, { doubtful }: Days): Days => (doubtful ? { ...range, doubtful } : range)
const onward = (spec: DaySpec) => mapped(spec, (days) => [withDoubt({ from: days.from }, days)])
const afterwards = (spec: DaySpec) =>
  mapped(spec, (days) => (days.until ? [withDoubt({ from: days.until }, days)] : []))
const beforehand = (spec: DaySpec) =>
  mapped(spec, (days, { today }) => [withDoubt({ from: today, until: days.from }, days)])
const upTo = (spec: DaySpec) =>
  mapped(spec, (days, { today }) => (days.until ? [withDoubt({ from: today, until: days.until }, days)] : []))

/** The end is the first such day after the start; a month said once applies to both. */
function through(first: DaySpec, last: DaySpec): DaySpec {
  const [start, end] = sameMonth([first, last])
  return span((calendar) =>
    readingsOf(start ?? first, calendar).flatMap((from) => {
      const later = readingsOf(end ?? last, { ...calendar, today: from.from }).filter(
        ({ until }) => until && until > from.from,
      )
      return later
        .slice(0, 1)
        .map(({ until, doubtful }) =>
          withDoubt({ from: from.from, ...(until && { until }) }, doubtful ? { ...from, doubtful } : from),
        )
    }),
  )
}

/** "the 3rd or 4th of December", "December 3rd or 4th": a month said once applies to all days. */
export function sameMonth(specs: readonly DaySpec[]): readonly DaySpec[] {
  const said = specs.find((spec) => spec.kind === 'date' && spec.month !== undefined)
  if (said?.kind !== 'date') return specs
  return specs.map((spec) =>
    spec.kind === 'date' && spec.month === undefined ? date(spec.day, said.month, said.year) : spec,
  )
}

/** "a day before Friday" is Thursday, or any day until then. */
const someDay = (...specs: readonly DaySpec[]): DaySpec =>
  span((calendar) => specs.flatMap((spec) => readingsOf(spec, calendar)))

/** Days, and limits of days. */
export const dayRange: Reader<DaySpec> = either(
  dayOrDays,
  phrase`after ${dayOrDays}`(afterwards),
  phrase`not [until|till] after ${dayOrDays}`(afterwards),
  phrase`not today`(() => afterwards(ahead({}))),
  phrase`not this week`(() => afterwards(span((calendar) => week(0, calendar)))),
  phrase`a|1|one day after ${unanchored}`((spec) => someDay(dayAfter(spec), afterwards(spec))),
  phrase`a|1|one day before ${unanchored}`((spec) => someDay(dayBefore(spec), beforehand(spec))),
  phrase`from|starting|beginning|since ${dayOrDays} [on|onward|onwards]`(onward),
  phrase`${dayOrDays} or|and later|after|onward|onwards|afterwards`(onward),
  phrase`${dayOrDays} onward|onwards`(onward),
  phrase`${dayOrDays} at earliest`(onward),
  phrase`not|no before|until|till|earlier|sooner [than] ${dayOrDays}`(onward),
  phrase`before ${dayOrDays}`(beforehand),
  phrase`by|until|till ${dayOrDays}`(upTo),
  phrase`not|no after|later [than] ${dayOrDays}`(upTo),
  phrase`${dayOrDays} or|and before|earlier|sooner`(upTo),
  phrase`${dayOrDays} at latest`(upTo),
  phrase`[any] [time|day] between ${day} and|to|through ${day}`(through),
  phrase`[any] [time|day] [from] ${day} to|through|thru|till|until ${day}`(through),
  phrase`between ${dayNumber} and ${nth} ${monthName}`((one, two, ofMonth) =>
    through(date(one, ofMonth), date(two, ofMonth)),
  ),
)
