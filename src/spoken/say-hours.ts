/** Opening hours in words: "Monday to Friday from 8:30 in the morning to 5 in the afternoon". */
import { DAYS_OF_WEEK, type DayHours, type DayOfWeek } from '../scheduling/availability.ts'
import type { OpeningWeek } from '../scheduling/opening-hours.ts'
import { listed } from './say.ts'
import { sayClock } from './say-time.ts'

/** '' if no day is open. Days with the same hours are combined. */
export function sayHours(week: OpeningWeek): string {
  const byHours = Map.groupBy(week, ([, hours]) => JSON.stringify(hours))
  const parts = Array.from(byHours.values(), (days) => {
    const hours = days[0]?.[1] ?? []
    return `${sayDays(days.map(([day]) => day))} ${listed(hours.map(sayFromTo))}`
  })
  return parts.join('; ')
}

const NAMES: Readonly<Record<DayOfWeek, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

/** @param days in the order of the week */
function sayDays(days: readonly DayOfWeek[]): string {
  if (days.length === DAYS_OF_WEEK.length) return 'every day'
  const runs: DayOfWeek[][] = []
  for (const day of days) {
    const run = runs.at(-1)
    const before = DAYS_OF_WEEK[DAYS_OF_WEEK.indexOf(day) - 1]
    if (run !== undefined && run.at(-1) === before) run.push(day)
    else runs.push([day])
  }
  return listed(
    runs.flatMap((run) => {
      const names = run.map((day) => NAMES[day])
      return names.length > 2 ? [`${names[0]} to ${names.at(-1)}`] : names
    }),
  )
}

const DAY = 24 * 60

const sayFromTo = ({ from, until }: DayHours): string =>
  until - from >= DAY ? 'around the clock' : `from ${sayClock(from)} to ${sayClock(until > DAY ? until - DAY : until)}`
