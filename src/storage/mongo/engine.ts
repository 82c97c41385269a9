/** What every part of the MongoDB engine works with. */
import type { ClientSession, MongoClient } from 'mongodb'
import type { CombinedIndex } from '../../search/plan.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Habits } from './cardinality-cache.ts'
import type { Collections } from './collections.ts'

export interface Engine extends Collections {
  readonly client: MongoClient
  /** Those that are written; searched by are those of `index`. */
  readonly combined: readonly CombinedIndex[]
  readonly index: SearchIndex
  /** Up to so many candidates it is less work to collect and sort them than to walk an index in the wanted order. */
  readonly fewCandidates: number
  readonly habits: Habits
}

/** The engine within a session: everything read through it is of one snapshot. */
export interface Reader extends Engine {
  /** Absent for a read that is one command. */
  readonly session?: ClientSession
}
