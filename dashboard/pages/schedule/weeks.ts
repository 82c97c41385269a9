/** The days of weeks and months. */
import { addDays, startOfWeek } from '../../fhir/time.ts'

/** So many days from one on. */
export const daysFrom = (day: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => addDays(day, index))

/** The weeks of the month of a day, with the days of other months in them. */
export function monthOf(day: string): readonly (readonly string[])[] {
  const month = day.slice(0, 7)
  const first = startOfWeek(`${month}-01`)
  const weeks = Array.from({ length: 6 }, (_, index) => daysFrom(addDays(first, index * 7), 7))
  return weeks.filter((week) => week.some((one) => one.startsWith(month)))
}

/** The first day of a month that is so many months away. */
export function addMonths(day: string, count: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + count, 1)).toISOString().slice(0, 10)
}
