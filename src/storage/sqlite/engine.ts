/** The context of every part of the SQLite engine; each thread has one, with its own connection. */
import type { CombinedIndex, CoveredParameters } from '../../search/plan.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { RecentRecords } from '../recent.ts'
import type { Database } from './connection.ts'
import type { InternedNames } from './interned-names.ts'
import type { Signals } from './signals.ts'

export interface Engine {
  readonly db: Database
  readonly names: InternedNames
  readonly recent: RecentRecords
  /** The combined indexes that are written; `index` determines which of them can be searched by. */
  readonly combined: readonly CombinedIndex[]
  readonly index: SearchIndex
  /** Parameters whose values are not written where another parameter has the same one. */
  readonly covered: CoveredParameters
  readonly signals: Signals
  /** Most candidates that are less work to collect and sort than an index is to scan in the requested order. */
  readonly fewCandidates: number
}
