/** What every part of the MongoDB engine works with. */
import type { ClientSession, MongoClient } from 'mongodb'
import type { CombinedIndex } from '../../search/plan.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { CardinalityCache } from './cardinality-cache.ts'
import type { Collections } from './collections.ts'

export interface Engine extends Collections {
  readonly client: MongoClient
  /** A router sends a query to the shards that its filter names. */
  readonly isSharded: boolean
  /** Those that are written; searches use those of `index.combined`. */
  readonly combined: readonly CombinedIndex[]
  readonly index: SearchIndex
  /** Up to this number of candidates, collecting and sorting them is less work than scanning an index in the sort order. */
  readonly fewCandidates: number
  readonly cardinalities: CardinalityCache
  /**
   * Ids that a chain or _has may list: the list is a part of further commands, and these have 16 MB. A search by what so
   * many resources have in common takes long anyway.
   */
  readonly maxListed: number
}

/** The engine within a session: everything read through it is of one snapshot. */
export interface Reader extends Engine {
  /** Absent for a read that is one command. */
  readonly session?: ClientSession
}
