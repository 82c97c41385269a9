/** The rows of a search as a FROM and a WHERE clause. */
import type { Sql } from './sql.ts'

/** A source of rows, each a live resource of one type of one clinic. */
export interface Source {
  readonly from: Sql
  readonly where: Sql
  readonly row: Sql
  /** True when the index returns the rows in ascending order. */
  readonly inRowOrder: boolean
  /** True when no row comes twice. */
  readonly distinct: boolean
  /** Replaces `where` for counting, where an index has little but these rows, so that visits need not be counted. */
  readonly range?: Sql
  /** The number of rows of `range`, where they have been counted. */
  readonly rows?: number
  /** Set when the rows come in the order of this date parameter's lowest entry, whose bounds are `low` and `high`. */
  readonly byRangeOf?: number
}

/** Parameters for reading an index in slices (slices.ts). */
export interface Slices {
  /** The condition on the index, without the test that counts visited rows. */
  readonly range: Sql
  /** The columns needed by tests of a row, all of them columns of the index. */
  readonly columns: readonly string[]
  /** The column by which it is ordered, before the row; absent: by the row alone. */
  readonly column?: string
}
