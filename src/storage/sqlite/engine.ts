/** What every part of the SQLite engine works with; each thread has one, with a connection of its own. */
import type { CombinedIndex, CoveredParameters } from '../../search/plan.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { Database } from './connection.ts'
import type { InternedNames } from './interned-names.ts'
import type { RecentRecords } from './recent-records.ts'
import type { Signals } from './signals.ts'

export interface Engine {
  readonly db: Database
  readonly names: InternedNames
  readonly recent: RecentRecords
  /** The combined indexes that are written; `index` says which of them can be searched by. */
  readonly combined: readonly CombinedIndex[]
  readonly index: SearchIndex
  /** Whose values are not written where another parameter has the same one. */
  readonly covered: CoveredParameters
  readonly signals: Signals
  /** Up to so many candidates it is less work to collect and sort them than to scan an index in the requested order. */
  readonly fewCandidates: number
}
