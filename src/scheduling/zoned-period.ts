/**
 * Dates and periods as instants; a date is a whole day of a time zone. https://hl7.org/fhir/R4/datatypes.html#Period
 */
import type { Period } from 'fhir/r4'
import { parseDateRange } from '../fhir/dates.ts'
import type { ZoneClock } from './zone-clock.ts'

/** Milliseconds since 1970 UTC; the end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The span of a date or time: a year, a month, a day, a second. Undefined for a date that does not exist. */
export function spanOfDate(text: string, clock: ZoneClock): Span | undefined {
  const range = parseDateRange(text)
  if (range === undefined) return undefined
  const [start, end] = [range.low, range.high + 1]
  return text.includes('T') ? { start, end } : { start: clock.instantFrom(start), end: clock.instantFrom(end) }
}

/** A period ends at a time, or with the end of a day. A missing end is open. */
export function spanOf({ start, end }: Period, clock: ZoneClock): Span {
  return {
    start: start === undefined ? Number.NEGATIVE_INFINITY : (spanOfDate(start, clock)?.start ?? Number.NaN),
    end: end === undefined ? Number.POSITIVE_INFINITY : (endOf(end, clock) ?? Number.NaN),
  }
}

/** The end of a period whose end is written in this form. */
export function endOf(text: string, clock: ZoneClock): number | undefined {
  const span = spanOfDate(text, clock)
  return text.includes('T') ? span?.start : span?.end
}
