/** Moments at which the clocks of a zone show a time: one, none when they go forward over it, two when they go back. */
import { DateTime } from 'luxon'

/**
 * In order.
 * @param day any time of the day, in the zone
 * @param minute since midnight, as the clocks show it; at most 1440
 */
export function instantsAt(day: DateTime, minute: number): readonly DateTime[] {
  const shown = DateTime.utc(day.year, day.month, day.day).plus({ minutes: minute })
  const nearby = [shown.minus({ days: 1 }), shown.plus({ days: 1 })]
  const offsets = new Set(nearby.map((time) => time.setZone(day.zone).offset))
  const instants = [...offsets].map((offset) => shown.minus({ minutes: offset }).setZone(day.zone))
  return instants.filter((time) => time.offset === shown.diff(time.toUTC(), 'minutes').minutes).sort((a, b) => +a - +b)
}

/** The first moment of the day at which the clocks show this time or, where they skip it, a later one. */
export function startAt(day: DateTime, minute: number): DateTime {
  return existing(day, minute)[0] ?? day.plus({ days: 1 }).startOf('day')
}

/** The last moment at which they show it. */
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
