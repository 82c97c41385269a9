/**
 * The parts of the search index of a resource type. A part is a search parameter, a combined index, or the form of all
 * entries. Its version is a text that changes when resources have to be reindexed for it.
 */
import type { CombinedIndex } from '../../search/plan.ts'
import type { Extraction } from '../port.ts'

/** Versions by part. */
export type Parts = Readonly<Record<string, string>>

/** The progress of the search index of a type, as stored. */
export interface TypeIndex {
  readonly type: string
  /** Incremented whenever other parts are wanted; an engine may store the generation of each resource with it. */
  readonly generation: number
  /** The parts that are written with every resource. */
  readonly wanted: Parts
  /** The parts that every resource of the type has; the same as `wanted` when the type is complete. */
  readonly filled: Parts
  /**
   * Time of its completion (milliseconds since 1970 UTC), where a server that wants other parts may still be writing.
   */
  readonly completed?: number
}

/** The stored state of the search index. */
export interface IndexState {
  /** Incremented with every change, so that running servers notice it. */
  readonly epoch: number
  /** The highest Extraction.version of a server that has searched this store. */
  readonly extraction: number
  readonly types: ReadonlyMap<string, TypeIndex>
}

/** Prefixes that no search parameter name can have, as it contains no colon. */
const FORM = 'form:'
const COMBINED = 'combined:'

/** `schedule status start` */
export const nameOfCombined = ({ equal, range }: CombinedIndex): string => [...equal, range].join(' ')

export const partOfCombined = (name: string): string => COMBINED + name

/** A combined index has no version of its own: a different one has a different name. */
const COMBINED_VERSION = '1'

/** Form and extraction of stores from before parts were recorded. */
const FIRST_FORM = '1'
const FIRST_EXTRACTION = 1

/** The parts of a type that a server with this `form` and these declarations writes and searches by. */
export function partsOf(
  type: string,
  form: string,
  combined: readonly CombinedIndex[],
  extraction: Extraction | undefined,
): Parts {
  const declared = combined
    .filter((one) => one.type === type)
    .map((one) => [partOfCombined(nameOfCombined(one)), COMBINED_VERSION])
  return { [FORM]: form, ...Object.fromEntries(declared), ...Object.fromEntries(extraction?.parametersOf(type) ?? []) }
}

export const isSame = (one: Parts, other: Parts): boolean =>
  Object.keys(one).length === Object.keys(other).length && missingIn(one, other).length === 0

/** Names of the wanted parts that `filled` lacks, or has in another version. */
export const missingIn = (filled: Parts, wanted: Parts): readonly string[] =>
  Object.entries(wanted).flatMap(([part, version]) => (filled[part] === version ? [] : [part]))

export const isComplete = ({ wanted, filled }: TypeIndex): boolean => isSame(wanted, filled)

/** True where resources were written in an older form, and do not have a generation yet. */
export const isOfOldForm = ({ wanted, filled }: TypeIndex): boolean => wanted[FORM] !== filled[FORM]

/** The state of a type once other parts are wanted. */
export function nextIndex(
  type: string,
  before: TypeIndex | undefined,
  wanted: Parts,
  stored: boolean,
  version: number,
): TypeIndex {
  const generation = (before?.generation ?? 0) + 1
  if (!stored) return { type, generation, wanted, filled: wanted, ...(generation > 1 ? { completed: Date.now() } : {}) }
  const filled = generation === 1 ? { ...firstParts(wanted, version), ...before?.filled } : (before?.filled ?? {})
  const kept = Object.entries(wanted).filter(([part, wish]) => filled[part] === wish)
  return { type, generation, wanted, filled: Object.fromEntries(kept) }
}

/** The parts of a store from before parts were recorded. */
function firstParts(wanted: Parts, version: number): Parts {
  const had = Object.entries(wanted).filter(([part, wish]) => {
    if (part === FORM) return wish === FIRST_FORM
    return !part.startsWith(COMBINED) && version === FIRST_EXTRACTION
  })
  return Object.fromEntries(had)
}
