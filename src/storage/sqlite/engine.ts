/** What every part of the SQLite engine works with. */
import type { CombinedIndex } from '../../search/plan.ts'
import type { Database } from './database.ts'
import type { Names } from './names.ts'

export interface Engine {
  readonly db: Database
  readonly names: Names
  readonly combined: readonly CombinedIndex[]
  /** Up to so many candidates it is less work to collect and sort them than to walk an index in the wanted order. */
  readonly fewCandidates: number
}
