/** Places of entries in a column of the calendar: minutes of a wall clock of the clinic since midnight, and lanes. */
import { minutesBetween, naiveOf } from '../../fhir/time.ts'

/** Minutes since midnight. */
export interface Place {
  readonly from: number
  readonly until: number
}

export interface Lane {
  readonly lane: number
  readonly lanes: number
}

const DAY = 24 * 60

/** The end follows from the duration, as the clocks may change in between. It is on the same day. */
export function placeOf({ start, end }: { readonly start: string; readonly end: string }, zone: string): Place {
  const from = minuteOf(naiveOf(start, zone))
  return { from, until: Math.min(from + minutesBetween(start, end), DAY) }
}

/** @param naive wall time of the clinic: `2026-11-24 10:30:00` */
export const minuteOf = (naive: string): number => Number(naive.slice(11, 13)) * 60 + Number(naive.slice(14, 16))

/** `2026-11-24 10:30:00` */
export function naiveAt(day: string, minute: number): string {
  const kept = Math.min(Math.max(Math.round(minute), 0), DAY - 1)
  const digits = (value: number) => String(value).padStart(2, '0')
  return `${day} ${digits(Math.floor(kept / 60))}:${digits(kept % 60)}:00`
}

/** Whole hours around all places; nine to five where there are none. */
export function rangeOf(places: readonly Place[]): Place {
  if (places.length === 0) return { from: 9 * 60, until: 17 * 60 }
  return {
    from: Math.floor(Math.min(...places.map(({ from }) => from)) / 60) * 60,
    until: Math.ceil(Math.max(...places.map(({ until }) => until)) / 60) * 60,
  }
}

/** Place of a minute from the top of a range. */
export const topOf = (minute: number, { from, until }: Place): string => `${((minute - from) / (until - from)) * 100}%`

/** Places that overlap stand beside each other. */
export function inLanes<P extends Place>(places: readonly P[]): readonly (P & Lane)[] {
  const ordered = [...places].sort((one, other) => one.from - other.from || other.until - one.until)
  const placed: (P & Lane)[] = []
  let group: { readonly place: P; readonly lane: number }[] = []
  let ends: number[] = []
  const close = () => {
    placed.push(...group.map(({ place, lane }) => ({ ...place, lane, lanes: ends.length })))
    group = []
    ends = []
  }
  for (const place of ordered) {
    if (ends.every((end) => end <= place.from)) close()
    const found = ends.findIndex((end) => end <= place.from)
    const lane = found === -1 ? ends.length : found
    ends[lane] = place.until
    group.push({ place, lane })
  }
  close()
  return placed
}
