/** Working days: Monday to Friday but for public holidays. https://www.opm.gov/policy-data-oversight/pay-leave/federal-holidays/ */
import { DateTime } from 'luxon'

export interface Holiday {
  /** Local date of observance, yyyy-mm-dd. */
  readonly date: string
  readonly name: string
}

/** Months and days of the week count from 1; Monday is 1. */
type Rule =
  | { readonly name: string; readonly month: number; readonly day: number }
  /** `week` -1 is the last one of the month. */
  | { readonly name: string; readonly month: number; readonly week: number; readonly weekday: number }

const RULES: readonly Rule[] = [
  { name: "New Year's Day", month: 1, day: 1 },
  { name: 'Birthday of Martin Luther King, Jr.', month: 1, week: 3, weekday: 1 },
  { name: "Washington's Birthday", month: 2, week: 3, weekday: 1 },
  { name: 'Memorial Day', month: 5, week: -1, weekday: 1 },
  { name: 'Juneteenth', month: 6, day: 19 },
  { name: 'Independence Day', month: 7, day: 4 },
  { name: 'Labor Day', month: 9, week: 1, weekday: 1 },
  { name: 'Columbus Day', month: 10, week: 2, weekday: 1 },
  { name: 'Veterans Day', month: 11, day: 11 },
  { name: 'Thanksgiving Day', month: 11, week: 4, weekday: 4 },
  { name: 'Christmas Day', month: 12, day: 25 },
]

/** The public holidays of consecutive years. */
export const publicHolidays = (from: number, years: number): readonly Holiday[] =>
  Array.from({ length: years }, (_, index) => from + index).flatMap((year) =>
    RULES.map((rule) => ({ name: rule.name, date: dayOf(rule, year).toISODate() ?? '' })),
  )

/** @param day at midnight UTC */
export const isWorkingDay = (day: DateTime): boolean =>
  // New Year's Day may be kept in the year before.
  !day.isWeekend && !publicHolidays(day.year, 2).some(({ date }) => date === day.toISODate())

function dayOf(rule: Rule, year: number): DateTime {
  const first = DateTime.utc(year, rule.month, 1)
  if ('day' in rule) return keptOn(first.set({ day: rule.day }))
  if (rule.week === -1) {
    const last = first.endOf('month').startOf('day')
    return last.minus({ days: (last.weekday - rule.weekday + 7) % 7 })
  }
  return first.plus({ days: ((rule.weekday - first.weekday + 7) % 7) + 7 * (rule.week - 1) })
}

const SATURDAY = 6

/** The preceding Friday for a Saturday, the following Monday for a Sunday. */
function keptOn(day: DateTime): DateTime {
  if (!day.isWeekend) return day
  return day.weekday === SATURDAY ? day.minus({ days: 1 }) : day.plus({ days: 1 })
}
