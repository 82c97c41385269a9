/**
 * Generations: the data of a clinic are one filling among several, of which one is current. A reset fills the next and
 * then changes the record that names the current one, so that every request sees the old data or the new
 * (docs/adr/029-generations.md). Settings and other records of the clinic itself are outside of all of them.
 */
import { recordKind } from './record-kinds.ts'
import type { UnitRecords } from './unit-records.ts'

export interface Generation {
  /** 0 for the data that a clinic has had from its beginning. */
  readonly number: number
  /** Its source: the name of a scenario or of a snapshot; absent: it was not filled by a reset. */
  readonly scenario?: string
  readonly snapshot?: string
  /** Milliseconds since 1970 UTC, of the machine; and the name of the user. */
  readonly filledAt?: number
  readonly by?: string
  /** Absent: the time of the machine. */
  readonly clock?: ClinicClock
}

/** The clock of a clinic: ahead of the machine by so many milliseconds, or stopped at a time (ms since 1970 UTC). */
export type ClinicClock = { readonly ahead: number } | { readonly at: number }

export const GENERATION = recordKind<Generation>('generation')
export const GENERATION_KEY = 'current'

/** A mark for background work: the clock of the clinic is not that of the machine. */
export type MovedClock = Readonly<Record<string, never>>

export const MOVED_CLOCK = recordKind<MovedClock>('moved-clock')

export const FIRST_GENERATION: Generation = { number: 0 }

/** The place of a unit of work in the store, and its time. */
export interface UnitScope {
  readonly clinic: string
  /** The number of a generation. */
  readonly generation: number
  /** The time by the clinic's clock, and by the machine's: milliseconds since 1970 UTC. */
  readonly now: number
  readonly writtenAt: number
}

/** Stages which generation of the unit's clinic is current; requests that have begun in another one end in it. */
export async function stageGeneration(
  { clinic, records }: { readonly clinic: string; readonly records: UnitRecords },
  generation: Generation,
): Promise<void> {
  await records.read(GENERATION, GENERATION_KEY)
  records.put(GENERATION, GENERATION_KEY, generation)
  const isMarked = (await records.read(MOVED_CLOCK, clinic)) !== undefined
  if (generation.clock !== undefined) records.put(MOVED_CLOCK, clinic, {})
  else if (isMarked) records.delete(MOVED_CLOCK, clinic)
}
