/** Days and times of the synthetic clinic, counted from the clinic's day. */
import { DateTime } from 'luxon'
import { clockOf } from '../../../scheduling/zone-clock.ts'
import type { ClinicDay } from '../moments.ts'
import { isWorkingDay } from '../working-days.ts'

const DAY = 86_400_000
const MINUTE = 60_000

/** Working days of a year, on average: 260 or 261 less the public holidays. */
export const WORKDAYS_OF_YEAR = 250

export const DAYS_OF_YEAR = 365.25

/** About how many days ago a working day was; it is exact within two weeks, as weekends and holidays differ by the day. */
export const daysSince = (workday: number): number => Math.round((-workday * DAYS_OF_YEAR) / WORKDAYS_OF_YEAR)

export class Calendar {
  readonly #today: DateTime
  readonly #clock: ReturnType<typeof clockOf>
  /** The working days before the clinic's day and from it on, as far as they have been asked for. */
  readonly #before: DateTime[] = []
  readonly #after: DateTime[] = []

  constructor({ now, timeZone }: ClinicDay) {
    this.#clock = clockOf(timeZone)
    this.#today = DateTime.fromMillis(Math.floor(this.#clock.wallTimeAt(now) / DAY) * DAY, { zone: 'utc' })
  }

  /** A FHIR date so many days before the clinic's day. */
  daysBefore(days: number): string {
    return dateOf(this.#today.minus({ days }))
  }

  /** A FHIR date: working day 0 is the clinic's day or the next working day, -1 the last one before. */
  workday(offset: number): string {
    return dateOf(this.#workday(offset))
  }

  /** A FHIR instant by the clinic's clock on a working day. @param minute after midnight */
  at(offset: number, minute: number): string {
    return this.#clock.format(this.#clock.instantFrom(this.#workday(offset).toMillis() + minute * MINUTE))
  }

  #workday(offset: number): DateTime {
    const days = offset < 0 ? this.#before : this.#after
    const step = offset < 0 ? -1 : 1
    const index = offset < 0 ? -offset - 1 : offset
    while (days.length <= index)
      days.push(nextWorkday(days.at(-1) ?? this.#today.minus({ days: Math.max(step, 0) }), step))
    return days[index] as DateTime
  }
}

/** The first working day after a day, or before it. */
function nextWorkday(day: DateTime, step: 1 | -1): DateTime {
  let next = day.plus({ days: step })
  while (!isWorkingDay(next)) next = next.plus({ days: step })
  return next
}

const dateOf = (day: DateTime): string => day.toISODate() ?? ''
