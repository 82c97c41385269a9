/** Instants of a wall-clock time: one, none if it is skipped when clocks are set forward, two if it is repeated. */
import { DateTime } from 'luxon'

/**
 * Sorted.
 * @param day any time of the day, in the zone
 * @param minute minutes since midnight in wall-clock time, at most 1440
 */
export function instantsAt(day: DateTime, minute: number): readonly DateTime[] {
  const shown = DateTime.utc(day.year, day.month, day.day).plus({ minutes: minute })
  const nearby = [shown.minus({ days: 1 }), shown.plus({ days: 1 })]
  const offsets = new Set(nearby.map((time) => time.setZone(day.zone).offset))
  const instants = [...offsets].map((offset) => shown.minus({ minutes: offset }).setZone(day.zone))
  return instants.filter((time) => time.offset === shown.diff(time.toUTC(), 'minutes').minutes).sort((a, b) => +a - +b)
}

/** The first instant of this wall-clock time, or of a later one if it is skipped. */
export function startAt(day: DateTime, minute: number): DateTime {
  return existing(day, minute)[0] ?? day.plus({ days: 1 }).startOf('day')
}

/** The last instant of this wall-clock time, or of a later one if it is skipped. */
export function endAt(day: DateTime, minute: number): DateTime {
  return existing(day, minute).at(-1) ?? day.plus({ days: 1 }).startOf('day')
}

function existing(day: DateTime, minute: number): readonly DateTime[] {
  for (let later = minute; later < 1440; later++) {
    const instants = instantsAt(day, later)
    if (instants.length > 0) return instants
  }
  return []
}
