/** What every part of the SQLite engine works with. */
import type { CombinedIndex } from '../../search/plan.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Database } from './connection.ts'
import type { Names } from './interned-names.ts'
import type { RecentRecords } from './recent-records.ts'

export interface Engine {
  readonly db: Database
  readonly names: Names
  readonly recent: RecentRecords
  /** Those that are written; searched by are those of `index`. */
  readonly combined: readonly CombinedIndex[]
  readonly index: SearchIndex
  /** Up to so many candidates it is less work to collect and sort them than to scan an index in the order asked for. */
  readonly fewCandidates: number
}
