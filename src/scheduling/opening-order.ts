/** The order of offered times: by start, then by preference, then by Slot, so that pages are stable and complete. */

/** A position in that order. */
export interface Place {
  /** Milliseconds since 1970 UTC. */
  readonly start: number
  /** Position among the openings at that time; absent: before all of them. */
  readonly of?: {
    /** Lower is better; earlier elements take precedence. */
    readonly preference: readonly number[]
    readonly slot: string
  }
}

/** Negative if `one` comes first. */
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
