/** What a stated time is read as: windows in which a visit may start, or a question to the caller. */
import type { DateTime } from 'luxon'
import type { Weekday } from './calendar.ts'

/** What the meaning of a stated time depends on. */
export interface TimesLocale {
  /** In the time zone of the clinic. */
  readonly now: DateTime
  /** ISO 3166 code of the clinic's country: the order of 3/4, and on which day a week begins. */
  readonly region: string
  /** Decides between "seven" in the morning and in the evening; with none the caller is asked. */
  readonly openingTimes: readonly OpeningTime[]
}

export type SpokenTimes =
  /** In any of them; never empty, in the order in which they were said. */
  | { readonly kind: 'windows'; readonly windows: readonly TimeWindow[] }
  /** It can be read in more than one way; a sentence to ask the caller. */
  | { readonly kind: 'question'; readonly question: string }
  /** A sentence that says what was wrong and what would be right, without the words of the caller. */
  | { readonly kind: 'error'; readonly error: string }

/** Hours in which the clinic sees patients; several on one day where it closes between them. */
export interface OpeningTime extends TimeOfDayRange {
  readonly weekday: Weekday
}

/** A visit fits when it starts in the window, on one of the days of the week, at such a time of day. */
export interface TimeWindow {
  /** In the clinic's zone; never in the past. */
  readonly start: DateTime
  /** Exclusive; one minute after `start` for an exact time; absent when no end was said. */
  readonly end?: DateTime
  /** Absent: all. */
  readonly weekdays?: readonly Weekday[]
  /** Absent: the whole day. */
  readonly timeOfDay?: TimeOfDayRange
}

/** In minutes since midnight, as the clocks of the clinic show it; `until` exclusive. */
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
