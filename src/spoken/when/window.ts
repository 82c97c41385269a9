/** The meaning of a stated time: windows in which a visit may start, or a question to the caller. */
import type { DateTime } from 'luxon'
import type { Weekday } from './calendar.ts'

/** Context that decides the meaning of a stated time. */
export interface TimesLocale {
  /** The current time in the clinic's time zone. */
  readonly now: DateTime
  /** ISO 3166 code of the clinic's country: decides the order in 3/4, and the first day of a week. */
  readonly region: string
  /** Decides between "seven" in the morning and in the evening; if empty, the result is a question. */
  readonly openingTimes: readonly OpeningTime[]
}

export type SpokenTimes =
  /** Alternative windows, at least one, in the order stated. */
  | { readonly kind: 'windows'; readonly windows: readonly TimeWindow[] }
  /** Ambiguous; a question to the caller. */
  | { readonly kind: 'question'; readonly question: string }
  /** An error with a correct example, without the caller's words. */
  | { readonly kind: 'error'; readonly error: string }

/** Hours in which the clinic sees patients; several on one day if it closes between them. */
export interface OpeningTime extends TimeOfDayRange {
  readonly weekday: Weekday
}

/** A visit fits if it starts within the window, on one of the weekdays and at such a time of day. */
export interface TimeWindow {
  /** In the clinic's zone; never in the past. */
  readonly start: DateTime
  /** Exclusive; one minute after `start` for an exact time; absent if no end was stated. */
  readonly end?: DateTime
  /** Absent: all. */
  readonly weekdays?: readonly Weekday[]
  /** Absent: the whole day. */
  readonly timeOfDay?: TimeOfDayRange
}

/** Minutes since midnight, in the clinic's wall-clock time; `until` exclusive. */
export interface TimeOfDayRange {
  readonly from: number
  readonly until: number
}

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
