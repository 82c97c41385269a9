/** The bookable times of a day, from opening hours: https://hl7.org/fhir/R4/practitionerrole.html (availableTime). */
import type { PractitionerRoleAvailableTime } from 'fhir/r4'
import type { DateTime } from 'luxon'

export interface BookableTime {
  readonly start: DateTime
  readonly end: DateTime
}

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/**
 * Contiguous times of `minutes` each within the opening hours of the day, in order. Opening hours are wall-clock times:
 * an hour skipped by daylight saving has no bookable times, and a repeated hour is offered once.
 * @param day any time of the day, in the clinic's zone
 */
export function bookableTimes(
  day: DateTime,
  openings: readonly PractitionerRoleAvailableTime[],
  minutes: number,
): readonly BookableTime[] {
  const weekday = DAYS[day.weekday - 1]
  return openings
    .filter(({ daysOfWeek }) => weekday !== undefined && daysOfWeek?.includes(weekday))
    .flatMap((opening) => wallClockStarts(opening, minutes))
    .sort((a, b) => a - b)
    .flatMap((minute) => {
      const start = atMinute(day, minute)
      return start === undefined ? [] : [{ start, end: start.plus({ minutes }) }]
    })
}

/** The starts, in minutes since midnight, of the times that end within the opening hours. */
function wallClockStarts(opening: PractitionerRoleAvailableTime, minutes: number): readonly number[] {
  const from = minuteOfDay(opening.availableStartTime ?? '00:00')
  const until = minuteOfDay(opening.availableEndTime ?? '24:00')
  const count = Math.max(0, Math.floor((until - from) / minutes))
  return Array.from({ length: count }, (_, index) => from + index * minutes)
}

/** Undefined when this wall-clock time does not exist on that day. */
function atMinute(day: DateTime, minute: number): DateTime | undefined {
  const time = { hour: Math.floor(minute / 60), minute: minute % 60 }
  const start = day.startOf('day').set(time)
  return start.hour === time.hour && start.minute === time.minute ? start : undefined
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}
