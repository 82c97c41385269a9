/**
 * The meaning of a stated time: windows in which a visit may start, or a question to the caller; and the instants of a wall-clock
 * time: one, none if it is skipped when clocks are set forward, two if it is repeated.
 */
import { DateTime } from 'luxon'
import { clockOf } from '../../scheduling/zone-clock.ts'
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

/**
 * Sorted.
 * @param day any time of the day, in the zone
 * @param minute minutes since midnight in wall-clock time, at most 1440
 */
export const instantsAt = (day: DateTime, minute: number): readonly DateTime[] =>
  clockOf(day.zoneName ?? '')
    .instantsOf(wallTimeAt(day, minute))
    .map((instant) => DateTime.fromMillis(instant, { zone: day.zone }))

const wallTimeAt = (day: DateTime, minute: number): number => Date.UTC(day.year, day.month - 1, day.day, 0, minute)

/** The first instant of this wall-clock time, or of a later one if it is skipped. */
export const startAt = (day: DateTime, minute: number): DateTime =>
  DateTime.fromMillis(clockOf(day.zoneName ?? '').instantFrom(wallTimeAt(day, minute)), { zone: day.zone })

/** The last instant of this wall-clock time, or of a later one if it is skipped. */
export const endAt = (day: DateTime, minute: number): DateTime =>
  (minute < 1440 ? instantsAt(day, minute).at(-1) : undefined) ?? startAt(day, minute)

/** The first moment from `moment` on, in its zone, in the opening times; undefined if there are none. */
export function firstOpening(times: readonly OpeningTime[], moment: DateTime): DateTime | undefined {
  for (let days = 0; days <= 7; days++) {
    const day = moment.startOf('day').plus({ days })
    const hours = times
      .filter(({ weekday, until }) => weekday === day.weekday && endAt(day, until) > moment)
      .toSorted((one, other) => one.from - other.from)
    const [first] = hours
    if (first !== undefined) return DateTime.max(startAt(day, first.from), moment)
  }
  return undefined
}
