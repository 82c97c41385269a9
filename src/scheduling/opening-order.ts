/** The order in which times are offered: by start, then as preferred, then by Slot, so that pages repeat and lose none. */

/** A place in that order. */
export interface Place {
  /** Milliseconds since 1970 UTC. */
  readonly start: number
  /** Of an opening at that time; absent: before all of them. */
  readonly of?: {
    /** The smaller the better, the first counts most. */
    readonly preference: readonly number[]
    readonly slot: string
  }
}

/** Negative where `one` comes first. */
export function comparePlaces(one: Place, other: Place): number {
  if (one.start !== other.start) return one.start - other.start
  if (one.of === undefined || other.of === undefined)
    return Number(one.of !== undefined) - Number(other.of !== undefined)
  for (const [index, rank] of one.of.preference.entries()) {
    const difference = rank - (other.of.preference[index] ?? 0)
    if (difference !== 0) return difference
  }
  return one.of.slot === other.of.slot ? 0 : one.of.slot < other.of.slot ? -1 : 1
}
