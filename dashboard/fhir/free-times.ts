/** Times that are free, as one Slot or as several that follow one another. */
import type { Slot } from 'fhir/r4'
import { conceptText, referenceParts } from './names.ts'
import { minutesBetween, naiveOf } from './time.ts'

/** A Slot whose times are both there; one with an extension in place of either cannot be offered. */
export interface TimedSlot extends Slot {
  readonly start: string
  readonly end: string
}

export const isTimed = (slot: Slot): slot is TimedSlot => slot.start !== undefined && slot.end !== undefined

export interface FreeTime {
  /** Slot.id, in order. */
  readonly slots: readonly string[]
  readonly schedule: string
  readonly start: string
  readonly end: string
  /** The kind of visit it is for; empty: any. */
  readonly type: string
}

export const scheduleIdOf = ({ schedule }: Slot): string => referenceParts(schedule.reference)?.id ?? ''

/**
 * Every start from which a visit of so many minutes fits.
 * @param slots free ones, of any schedules, in any order
 * @param minutes undefined: each Slot is a time of its own
 */
export function freeTimes(slots: readonly TimedSlot[], minutes: number | undefined): readonly FreeTime[] {
  const ordered = [...slots].sort((one, other) => Date.parse(one.start) - Date.parse(other.start))
  return ordered.flatMap((first) => timeFrom(first, ordered, minutes) ?? [])
}

function timeFrom(first: TimedSlot, ordered: readonly TimedSlot[], minutes: number | undefined): FreeTime | undefined {
  const row = [first]
  const isLongEnough = () => minutes === undefined || minutesBetween(first.start, row.at(-1)?.end ?? '') >= minutes
  while (!isLongEnough()) {
    const end = Date.parse(row.at(-1)?.end ?? '')
    const next = ordered.find((one) => scheduleIdOf(one) === scheduleIdOf(first) && Date.parse(one.start) === end)
    if (next === undefined) return undefined
    row.push(next)
  }
  return {
    slots: row.map(({ id = '' }) => id),
    schedule: scheduleIdOf(first),
    start: first.start,
    end: row.at(-1)?.end ?? first.end,
    type: (first.appointmentType && conceptText(first.appointmentType)) ?? '',
  }
}

/** The free time nearest to a wall time of the clinic, `2026-11-24 10:35:00`, at most `within` minutes away. */
export function nearestTo(
  times: readonly FreeTime[],
  naive: string,
  { zone, within }: { readonly zone: string; readonly within: number },
): FreeTime | undefined {
  const distance = ({ start }: FreeTime) => Math.abs(wallMinutes(naiveOf(start, zone)) - wallMinutes(naive))
  return times.filter((time) => distance(time) <= within).sort((one, other) => distance(one) - distance(other))[0]
}

/** Minutes of a wall time; their difference ignores changes of the clocks in between. */
const wallMinutes = (naive: string): number => Date.parse(`${naive.slice(0, 10)}T${naive.slice(11, 19)}Z`) / 60_000
