/** Times to which visits go when theirs is taken: the next one of the same practitioner, and the nearest of another. */
import { type FreeTime, freeTimes, type TimedSlot } from './free-times.ts'
import type { Visit } from './visits.ts'

export interface OtherTimes {
  readonly same: FreeTime | undefined
  readonly other: FreeTime | undefined
}

/**
 * No time is proposed to two visits.
 * @param free slots of all practitioners, without those in the time that is taken
 */
export function otherTimes(
  visits: readonly Visit[],
  free: readonly TimedSlot[],
  schedule: string,
): ReadonlyMap<string, OtherTimes> {
  const used = new Set<string>()
  const byMinutes = new Map<number, readonly FreeTime[]>()
  const timesOf = (minutes: number) => {
    const times = byMinutes.get(minutes) ?? freeTimes(free, minutes)
    byMinutes.set(minutes, times)
    return times
  }
  const take = (times: readonly FreeTime[]) => {
    const found = times.find(({ slots }) => slots.every((id) => !used.has(id)))
    for (const id of found?.slots ?? []) used.add(id)
    return found
  }
  return new Map(
    visits.map((visit) => {
      const times = timesOf(visit.minutes)
      const later = times.filter((time) => time.schedule === schedule && at(time.start) >= at(visit.start))
      const others = times.filter((time) => time.schedule !== schedule)
      const distance = (time: FreeTime) => Math.abs(at(time.start) - at(visit.start))
      return [
        visit.id,
        { same: take(later), other: take(others.toSorted((one, next) => distance(one) - distance(next))) },
      ] as const
    }),
  )
}

const at = (instant: string): number => Date.parse(instant)
