/** The days that a caller can mean, in the clinic's calendar. */
import { type DateTime, Info } from 'luxon'

/** Whole days. */
export interface Days {
  readonly from: DateTime
  /** Exclusive; absent: without end. */
  readonly until?: DateTime
  /** True if the caller must confirm this reading even if it is the only one. */
  readonly doubtful?: true
}

/** All possible meanings; empty if there is no such day. */
export type Readings = readonly Days[]

export interface Calendar {
  /** Start of the day, in the clinic's zone. */
  readonly today: DateTime
  readonly region: string
}

/** ISO: 1 is Monday, 7 Sunday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

export const WEEKDAYS: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7]

export type Which = 'bare' | 'coming' | 'this' | 'next' | 'following' | 'last' | 'after-next'

export type DaySpec =
  | { readonly kind: 'weekday'; readonly weekday: Weekday; readonly which: Which; readonly weeks: number }
  /** Without a month, the next such day; without a year, the next such date. */
  | { readonly kind: 'date'; readonly day: number; readonly month?: number; readonly year?: number }
  /** `anchored`: a weekday or day relative to another date or within a month ("the last Friday in December"). */
  | { readonly kind: 'span'; readonly read: (calendar: Calendar) => Readings; readonly anchored?: true }

/** A date without a year, less than three months in the past, is more likely a slip than meant for next year. */
const DOUBTFUL_DAYS = 275

/** The longest interval between two leap days, in years. */
const YEARS_SEARCHED = 8

export const oneDay = (from: DateTime): Days => ({ from, until: from.plus({ days: 1 }) })

export function readingsOf(spec: DaySpec, calendar: Calendar): Readings {
  switch (spec.kind) {
    case 'weekday':
      return distinct(weekdayReadings(spec, calendar).map((days) => shifted(days, spec.weeks)))
    case 'date':
      return dateReadings(spec, calendar)
    case 'span':
      return distinct(spec.read(calendar))
  }
}

const shifted = ({ from, until, ...rest }: Days, weeks: number): Days => ({
  ...rest,
  from: from.plus({ weeks }),
  ...(until && { until: until.plus({ weeks }) }),
})

function distinct(readings: Readings): Readings {
  return [...new Map(readings.map((days) => [`${days.from.toISODate()}/${days.until?.toISODate()}`, days])).values()]
}

function weekdayReadings({ weekday, which }: DaySpec & { kind: 'weekday' }, calendar: Calendar): Readings {
  const { today } = calendar
  const coming = today.plus({ days: ((weekday - today.weekday + 6) % 7) + 1 })
  switch (which) {
    case 'bare':
      return (today.weekday === weekday ? [today, coming] : [coming]).map(oneDay)
    case 'coming':
      return [oneDay(coming)]
    case 'this':
      return thisWeekday(weekday, coming, calendar)
    case 'next':
    case 'following':
      return [coming, ...weekdayOfWeek(weekday, 1, calendar)].map(oneDay)
    case 'last':
      return [oneDay(today.minus({ days: ((today.weekday - weekday + 6) % 7) + 1 }))]
    case 'after-next':
      return [coming, ...weekdayOfWeek(weekday, 1, calendar)].map((day) => oneDay(day.plus({ weeks: 1 })))
  }
}

/** "this Tuesday": of this week, or, uncertain, the coming one if that of this week has passed. */
function thisWeekday(weekday: Weekday, coming: DateTime, calendar: Calendar): Readings {
  const left = weekdayOfWeek(weekday, 0, calendar).filter((day) => day >= calendar.today)
  if (left.length === 0) return [{ ...oneDay(coming), doubtful: true }]
  return [...left, coming].map(oneDay)
}

/** Weeks begin on Monday in business everywhere, and in common speech on the region's first day. */
const weekStarts = (region: string): readonly number[] => [
  ...new Set([1, Info.getStartOfWeek({ locale: `en-${region}` })]),
]

const startsOfWeek = (offset: number, { today, region }: Calendar): readonly DateTime[] =>
  weekStarts(region).map((first) => today.minus({ days: (today.weekday - first + 7) % 7 }).plus({ weeks: offset }))

const weekdayOfWeek = (weekday: Weekday, offset: number, calendar: Calendar): readonly DateTime[] =>
  startsOfWeek(offset, calendar).map((start) => start.plus({ days: (weekday - start.weekday + 7) % 7 }))

/** The days that belong to that week wherever it begins; both weeks if fewer than the working days remain. */
export function week(offset: number, calendar: Calendar): Readings {
  const starts = startsOfWeek(offset, calendar)
  const from = starts.reduce((a, b) => (a > b ? a : b))
  const first = starts.reduce((a, b) => (a < b ? a : b))
  if (from.diff(first, 'days').days <= 2) return [{ from, until: first.plus({ weeks: 1 }) }]
  return starts.map((start) => ({ from: start, until: start.plus({ weeks: 1 }) }))
}

export const month = (offset: number, { today }: Calendar): Readings => {
  const from = today.startOf('month').plus({ months: offset })
  return [{ from, until: from.plus({ months: 1 }) }]
}

export const year = (offset: number, { today }: Calendar): Readings => {
  const from = today.startOf('year').plus({ years: offset })
  return [{ from, until: from.plus({ years: 1 }) }]
}

/** "in December": the current or the next one. */
export function namedMonth(number: number, ofYear: number | undefined, { today }: Calendar): Readings {
  const years = ofYear ?? today.year + (number < today.month ? 1 : 0)
  const from = today.set({ year: years, month: number, day: 1 })
  return [{ from, until: from.plus({ months: 1 }) }]
}

export const weekendDays = (region: string): readonly Weekday[] => {
  const days = Info.getWeekendWeekdays({ locale: `en-${region}` })
  return WEEKDAYS.filter((day) => days.includes(day))
}

/** "next weekend" is ambiguous when said before the weekend. */
export function weekend(which: 'this' | 'next', { today, region }: Calendar): Readings {
  const days: readonly number[] = weekendDays(region)
  const isWeekend = (day: DateTime) => days.includes(day.weekday)
  let from = today
  if (isWeekend(today)) while (isWeekend(from.minus({ days: 1 }))) from = from.minus({ days: 1 })
  else while (!isWeekend(from)) from = from.plus({ days: 1 })
  const present = { from, until: from.plus({ days: days.length }) }
  if (which === 'this') return [present]
  const following = shifted(present, 1)
  return isWeekend(today) ? [following] : [present, following]
}

function dateReadings({ day, month: number, year: ofYear }: DaySpec & { kind: 'date' }, calendar: Calendar): Readings {
  const { today } = calendar
  if (number === undefined) return dayOfMonth(day, today)
  if (ofYear !== undefined) return real(today, ofYear, number, day).map(oneDay)
  const years = Array.from({ length: YEARS_SEARCHED + 1 }, (_, index) => today.year + index)
  const next = years.flatMap((one) => real(today, one, number, day)).find((date) => date >= today)
  if (next === undefined) return []
  const doubtful = next.year > today.year && next.diff(today, 'days').days > DOUBTFUL_DAYS
  return [doubtful ? { ...oneDay(next), doubtful } : oneDay(next)]
}

/** "the 13th": of this month if it is in the future; on the 13th itself, today or in a month. */
function dayOfMonth(day: number, today: DateTime): Readings {
  const months = Array.from({ length: 4 }, (_, index) => today.startOf('month').plus({ months: index }))
  const dates = months.flatMap((start) => real(today, start.year, start.month, day)).filter((date) => date >= today)
  const [next, following] = dates
  if (next === undefined) return []
  if (+next === +today) return [next, ...(following === undefined ? [] : [following])].map(oneDay)
  const near = next < today.startOf('month').plus({ months: day < today.day ? 2 : 1 })
  return [near ? oneDay(next) : { ...oneDay(next), doubtful: true }]
}

function real(today: DateTime, ofYear: number, number: number, day: number): readonly DateTime[] {
  if (
    number < 1 ||
    number > 12 ||
    day < 1 ||
    day > (today.set({ year: ofYear, month: number, day: 1 }).daysInMonth ?? 0)
  )
    return []
  return [today.set({ year: ofYear, month: number, day })]
}
