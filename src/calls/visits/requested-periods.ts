/**
 * The requested times as periods of an Appointment, each of them without a gap: recurring hours become one period a
 * day.
 */
import type { Period } from 'fhir/r4'
import type { DateTime } from 'luxon'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { endAt, startAt } from '../../spoken/when/wall-clock.ts'
import type { TimeWindow } from '../../spoken/when/window.ts'

/** Most days written individually; later ones must be requested when they are nearer. */
const MOST_DAYS = 92
const MOST_PERIODS = 100
const MIDNIGHT = 1440

/** @param timeZone IANA name of the clinic's time zone */
export function requestedPeriods(windows: readonly TimeWindow[], timeZone: string): Period[] {
  const clock = clockOf(timeZone)
  const written = ({ start, end }: Span): Period => ({
    start: clock.format(start.toMillis()),
    ...(end === undefined ? {} : { end: clock.format(end.toMillis()) }),
  })
  return windows.flatMap(spansOf).slice(0, MOST_PERIODS).map(written)
}

interface Span {
  readonly start: DateTime
  readonly end?: DateTime | undefined
}

function spansOf({ start, end, weekdays, timeOfDay = { from: 0, until: MIDNIGHT } }: TimeWindow): readonly Span[] {
  const isWholeDay = timeOfDay.from === 0 && timeOfDay.until === MIDNIGHT
  if (weekdays === undefined && (isWholeDay || isOneDay({ start, end })))
    return [end === undefined ? { start } : { start, end }]
  const spans: Span[] = []
  for (let day = start.startOf('day'), days = 0; days < MOST_DAYS && (end === undefined || day < end); days++) {
    const hours = { start: later(startAt(day, timeOfDay.from), start), end: earlier(endAt(day, timeOfDay.until), end) }
    const isAskedFor = weekdays === undefined || weekdays.some((weekday) => weekday === day.weekday)
    if (isAskedFor && hours.start < hours.end) spans.push(hours)
    day = day.plus({ days: 1 })
  }
  return spans
}

const isOneDay = ({ start, end }: Span): boolean => end !== undefined && end <= start.plus({ days: 1 }).startOf('day')

const later = (one: DateTime, other: DateTime): DateTime => (one > other ? one : other)
const earlier = (one: DateTime, other: DateTime | undefined): DateTime =>
  other === undefined || one < other ? one : other
