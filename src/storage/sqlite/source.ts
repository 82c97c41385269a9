/** The rows of a search as a FROM and a WHERE clause. */
import type { Sql } from './sql.ts'

/** Every row is a live resource of one type of one clinic. */
export interface Source {
  readonly from: Sql
  readonly where: Sql
  readonly row: Sql
  /** The index gives the rows in ascending order. */
  readonly inRowOrder: boolean
  /** No row comes twice. */
  readonly distinct: boolean
  /** Instead of `where`, where an index has little but these rows: to count a few of them needs no counting of visits. */
  readonly range?: Sql
  /** How many rows `range` has, where they have been counted. */
  readonly rows?: number
  /** Set when the rows come in the order of this date parameter's lowest entry, whose bounds are `low` and `high`. */
  readonly byRangeOf?: number
}

/** What is needed to read an index in slices (slices.ts). */
export interface Slices {
  /** The part of the index, without what counts the rows. */
  readonly range: Sql
  /** The columns that tests of a row need, all of them columns of the index. */
  readonly columns: readonly string[]
  /** What it is ordered by, before the row; absent: by the row alone. */
  readonly column?: string
}
