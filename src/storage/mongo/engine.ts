/** The context of every part of the MongoDB engine. */
import type { ClientSession, MongoClient } from 'mongodb'
import type { CombinedIndex } from '../../search/plan.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Collections } from './collections.ts'

export interface Engine extends Collections {
  readonly client: MongoClient
  /** The combined indexes that are written; searches use those of `index.combined`. */
  readonly combined: readonly CombinedIndex[]
  readonly index: SearchIndex
  /** Most candidates that are less work to collect and sort than an index is to scan in the sort order. */
  readonly fewCandidates: number
  /**
   * Most ids that a chain or _has may list: the list is part of further commands, which are limited to 16 MB. A search
   * by a condition that more resources fulfil takes long anyway.
   */
  readonly maxListed: number
}

/** The engine within a session: all its reads are of one snapshot. */
export interface Reader extends Engine {
  readonly session: ClientSession
}

type Texts = Promise<readonly string[]>

const known = new WeakMap<Reader, Map<string, Texts>>()

/** Shares a read between several parts of a search, whose reads are all of one state. */
export function onceForReader(reader: Reader, key: string, read: () => Texts): Texts {
  const ofReader = known.get(reader) ?? new Map<string, Texts>()
  known.set(reader, ofReader)
  const texts = ofReader.get(key) ?? read()
  ofReader.set(key, texts)
  return texts
}
