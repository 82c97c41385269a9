/** What every part of the MongoDB engine works with. */
import type { ClientSession, MongoClient } from 'mongodb'
import type { CombinedIndex } from '../../search/plan.ts'
import type { Collections } from './collections.ts'
import type { Habits } from './habits.ts'

export interface Engine extends Collections {
  readonly client: MongoClient
  /** The same collections, for reads in a snapshot session. */
  readonly snapshots: Collections
  readonly combined: readonly CombinedIndex[]
  /** Up to so many candidates it is less work to collect and sort them than to walk an index in the wanted order. */
  readonly fewCandidates: number
  readonly habits: Habits
}

/** The engine within a session: everything read through it is of one snapshot. */
export interface Reader extends Engine {
  /** Absent for a read that is one command. */
  readonly session?: ClientSession
}

/** The option that puts a command into the reader's session. */
export const sessionOf = ({ session }: Reader): { readonly session?: ClientSession } =>
  session === undefined ? {} : { session }
