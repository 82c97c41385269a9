/**
 * Conversion between instants and wall-clock times of an IANA time zone, including times skipped or repeated by
 * daylight saving.
 */

import type { Period } from 'fhir/r4'
import { IANAZone } from 'luxon'
import { parseDateRange } from '../fhir/dates.ts'
import { memoize } from '../fhir/memoize.ts'

const DAY = 86_400_000

/** Most days for which a clock caches the offset: ten years. */
const MOST_DAYS = 3_660
/** Most zones whose clocks are cached. */
const MOST_ZONES = 64

/** A wall-clock time without its zone: milliseconds since 1970, as if it were UTC. */
export type WallTime = number

/** Whether this is an IANA zone. JavaScript also accepts offsets such as +05:00, which have no daylight saving. */
export const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name)

/** Instants are milliseconds since 1970 UTC. */
export class ZoneClock {
  readonly #zone: IANAZone
  /** Offset by day of UTC; undefined for a day on which it changes. */
  readonly #offsetOf = memoize(MOST_DAYS, (day: number) => {
    const offset = this.#zoneOffset(day * DAY)
    return offset === this.#zoneOffset((day + 1) * DAY) ? offset : undefined
  })

  constructor(timeZone: string) {
    this.#zone = IANAZone.create(timeZone)
  }

  wallTimeAt(instant: number): WallTime {
    return instant + this.offsetAt(instant)
  }

  /** The instants of this wall-clock time, sorted: one, none if it is skipped, two if it is repeated. */
  instantsOf(time: WallTime): readonly number[] {
    return [...new Set(this.#candidates(time))].filter((instant) => this.wallTimeAt(instant) === time)
  }

  /** The first instant of this wall-clock time; undefined if it is skipped. */
  instantOf(time: WallTime): number | undefined {
    return this.instantsOf(time)[0]
  }

  /** As instantOf; for a skipped time, the instant of the change. */
  instantFrom(time: WallTime): number {
    const instant = this.instantOf(time)
    if (instant !== undefined) return instant
    let [before, from] = this.#candidates(time)
    while (from - before > 1) {
      const middle = Math.floor((before + from) / 2)
      if (this.wallTimeAt(middle) < time) before = middle
      else from = middle
    }
    return from
  }

  /** FHIR instant with the zone's offset: `2026-03-02T09:00:00-05:00`. */
  format(instant: number): string {
    const minutes = Math.round(this.offsetAt(instant) / 60_000)
    const local = new Date(instant + minutes * 60_000).toISOString().slice(0, 19)
    const digits = (value: number) => String(value).padStart(2, '0')
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
    return `${local}${minutes < 0 ? '-' : '+'}${digits(hours)}:${digits(rest)}`
  }

  /** Candidates by the offsets of the day before and the day after, the earlier one first. */
  #candidates(time: WallTime): [earlier: number, later: number] {
    const one = time - this.offsetAt(time - DAY)
    const other = time - this.offsetAt(time + DAY)
    return one < other ? [one, other] : [other, one]
  }

  /** Offset from UTC in milliseconds. */
  offsetAt(instant: number): number {
    return this.#offsetOf(Math.floor(instant / DAY)) ?? this.#zoneOffset(instant)
  }

  #zoneOffset(instant: number): number {
    return this.#zone.offset(instant) * 60_000
  }
}

/** The shared clock of a zone. */
export const clockOf = memoize(MOST_ZONES, (timeZone) => new ZoneClock(timeZone))

/** A luxon zone that queries Intl for its offset once a day instead of for each date. */
class ClockedZone extends IANAZone {
  readonly #clock: ZoneClock

  constructor(timeZone: string) {
    super(timeZone)
    this.#clock = clockOf(timeZone)
  }

  /** Offset in minutes. */
  override offset(instant: number): number {
    return Number.isFinite(instant) ? this.#clock.offsetAt(instant) / 60_000 : Number.NaN
  }
}

/** A zone for date arithmetic: equal to the original, but faster. @param timeZone an IANA name */
export const zoneOf = memoize(MOST_ZONES, (timeZone): IANAZone => new ClockedZone(timeZone))

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
