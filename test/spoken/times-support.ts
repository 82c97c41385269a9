/** Shared by the tests of spoken times. */
import { DateTime } from 'luxon'
import { type ParsedValue, unclear, understood } from '../../src/spoken/spoken.ts'
import { spokenTimes } from '../../src/spoken/spoken-times.ts'
import { WEEKDAYS } from '../../src/spoken/when/calendar.ts'
import type { OpeningTime, SpokenTimes, TimesLocale, TimeWindow } from '../../src/spoken/when/window.ts'

/** Monday to Friday, 8 to 18. */
const OFFICE_HOURS: readonly OpeningTime[] = WEEKDAYS.slice(0, 5).map((weekday) => ({
  weekday,
  from: 8 * 60,
  until: 18 * 60,
}))

export const localeAt = (now: string, zone: string, region: string, openingTimes = OFFICE_HOURS): TimesLocale => ({
  now: DateTime.fromISO(now, { zone }),
  region,
  openingTimes,
})

/** A Wednesday; the clinic is open from Monday to Friday, 8 to 18. */
export const NEW_YORK = localeAt('2026-11-04T12:00', 'America/New_York', 'US')

/** Windows, question or error as one text: "Thu 2026-11-05 14:00 -5 until Fri 2026-11-06 00:00 -5". */
function shown(times: SpokenTimes): string {
  switch (times.kind) {
    case 'windows':
      return times.windows.map(shownWindow).join('; ')
    case 'question':
      return `question: ${times.question}`
    case 'error':
      return `error: ${times.error}`
  }
}

export const read = (text: string, locale: TimesLocale): string => shown(spokenTimes(text, locale))

/** The windows as one text, or the question asked back. */
export function heardTimes(text: string): ParsedValue {
  const times = spokenTimes(text, NEW_YORK)
  if (times.kind === 'windows') return understood(shown(times))
  return unclear(times.kind === 'question' ? times.question : times.error)
}

function shownWindow({ start, end, weekdays, timeOfDay }: TimeWindow): string {
  const isMoment = end !== undefined && +end === +start.plus({ minutes: 1 })
  const until = end === undefined ? ' on' : isMoment ? '' : ` until ${point(end)}`
  const days = weekdays === undefined ? '' : `, on ${weekdays.map((day) => DAYS[day - 1]).join(' ')}`
  const isOneDay = end !== undefined && end <= start.startOf('day').plus({ days: 1 })
  const hours = timeOfDay === undefined || isOneDay ? '' : `, ${clock(timeOfDay.from)} to ${clock(timeOfDay.until)}`
  return `${point(start)}${until}${days}${hours}`
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const point = (time: DateTime) => time.toFormat('ccc yyyy-MM-dd HH:mm Z')

const clock = (minute: number) => `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`

/** Whether a visit that starts at this moment is within the window. */
export function isWithin({ start, end, weekdays, timeOfDay }: TimeWindow, moment: DateTime): boolean {
  const time = moment.setZone(start.zone)
  const minute = time.hour * 60 + time.minute
  return (
    time >= start &&
    (end === undefined || time < end) &&
    (weekdays === undefined || weekdays.some((day) => day === time.weekday)) &&
    (timeOfDay === undefined || (minute >= timeOfDay.from && minute < timeOfDay.until))
  )
}
