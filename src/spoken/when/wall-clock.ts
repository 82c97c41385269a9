/** Instants of a wall-clock time: one, none if it is skipped when clocks are set forward, two if it is repeated. */
import { DateTime } from 'luxon'
import { clockOf } from '../../scheduling/zone-clock.ts'

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
