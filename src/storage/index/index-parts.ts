/**
 * What the search index of a resource type consists of. A part is what is searched by: a search parameter, a combined
 * index, the form of all entries. Its version is a text that changes when resources have to be reindexed for it.
 */
import type { CombinedIndex } from '../../search/plan.ts'
import type { Extraction } from '../port.ts'

/** Versions by part. */
export type Parts = Readonly<Record<string, string>>

/** How far the search index of a type is, as the store keeps it. */
export interface TypeIndex {
  readonly type: string
  /** Counted up whenever other parts are wanted; an engine may keep with each resource the one that it has. */
  readonly generation: number
  /** What is written has these. */
  readonly wanted: Parts
  /** Every resource of the type has these, and the same as wanted when the type is complete. */
  readonly filled: Parts
  /** When it was completed (ms), where a server that wants other parts may go on writing. */
  readonly completed?: number
}

/** What the store says about its search index. */
export interface IndexState {
  /** Counted up with every change, so that a server that runs sees it. */
  readonly epoch: number
  /** The highest version of an Extraction that a server searched by. */
  readonly extraction: number
  readonly types: ReadonlyMap<string, TypeIndex>
}

/** No search parameter can be called like these: a colon ends its name. */
const FORM = 'form:'
const COMBINED = 'combined:'

/** `schedule status start` */
export const nameOfCombined = ({ equal, range }: CombinedIndex): string => [...equal, range].join(' ')

export const partOfCombined = (name: string): string => COMBINED + name

/** A combined index has no version: another one has another name. */
const COMBINED_VERSION = '1'

/** Form and extraction of stores that are older than this account of parts. */
const FIRST_FORM = '1'
const FIRST_EXTRACTION = 1

/** The parts of a type that a server of this `form`, with these declarations, writes and searches by. */
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

/** Names of the parts that `filled` does not have, or in another version. */
export const missingIn = (filled: Parts, wanted: Parts): readonly string[] =>
  Object.entries(wanted).flatMap(([part, version]) => (filled[part] === version ? [] : [part]))

export const isComplete = ({ wanted, filled }: TypeIndex): boolean => isSame(wanted, filled)

/** True where resources do not have a generation yet. */
export const isOfOldForm = ({ wanted, filled }: TypeIndex): boolean => wanted[FORM] !== filled[FORM]

/** The state of a type of which other parts are wanted from now on. */
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

/** The parts of a store that is older than this account of parts. */
function firstParts(wanted: Parts, version: number): Parts {
  const had = Object.entries(wanted).filter(([part, wish]) => {
    if (part === FORM) return wish === FIRST_FORM
    return !part.startsWith(COMBINED) && version === FIRST_EXTRACTION
  })
  return Object.fromEntries(had)
}
