/**
 * Reads an index in its order, a slice at a time, until enough of its rows fulfil the conditions. The rows of a slice
 * count as visited all at once, since calling JavaScript for each (`visited`) takes as long as testing it. Between two
 * slices the caller can give up when the page will not be full soon.
 */
import type { Engine } from './engine.ts'
import { type PageRange, type SortedRow, sortedRows } from './row-order.ts'
import type { Slices } from './source.ts'
import { ALWAYS, and, limitedTo, raw, type Sql, sql } from './sql.ts'

/** An index that is read in slices: one table, as alias d. */
export interface SlicedIndex extends Slices {
  readonly from: Sql
  readonly descends: boolean
}

/** Rows of the first slice, which fills most pages; each slice is four times as long as the one before. */
const FIRST_SLICE = 128
const LONGEST_SLICE = 2_048
/** A page that is full after so many rows counts as quickly filled. */
const SOON = 2_048

/**
 * The first rows after the previous page for which all `tests` hold.
 * @param notSoon called at most once, when the page would take long; an error that it throws ends the reading
 */
export function readSlices(
  engine: Engine,
  index: SlicedIndex,
  tests: readonly Sql[],
  { after, limit }: PageRange,
  notSoon: () => void,
): readonly SortedRow[] {
  const place = placeOf(index)
  const found: SortedRow[] = []
  let isSoon = true
  let last = after
  for (let size = FIRST_SLICE, visited = 0; ; size = Math.min(4 * size, LONGEST_SLICE)) {
    const slice = sliceOf(index, last)
    // SQLite reads the slice row by row, in its order, and no further than necessary.
    const matches = sql`SELECT ${place} FROM (SELECT ${columnsOf(index)} ${slice} ${limitedTo(size)}) AS d
      WHERE ${and(tests)} ${limitedTo(limit - found.length)}`
    found.push(...sortedRows(engine, matches))
    if (found.length === limit) return found
    last = sortedRows(engine, sql`SELECT ${place} ${slice} LIMIT 1 OFFSET ${size - 1} + 0`)[0]
    if (last === undefined) return found
    engine.db.visited.visitAll(size)
    visited += size
    if (isSoon && visited * limit > SOON * (found.length + 1)) {
      isSoon = false
      notSoon()
    }
  }
}

/** The row, and its sort value. */
const placeOf = ({ column }: SlicedIndex): Sql => raw(column === undefined ? 'd.row' : `d.row, d.${column}`)

const columnsOf = ({ columns }: SlicedIndex): Sql => raw(columns.map((name) => `d.${name}`).join(', '))

/** The index rows after `last`, in order. */
function sliceOf({ from, range, column, descends }: SlicedIndex, last: SortedRow | undefined): Sql {
  const along = descends ? 'DESC' : 'ASC'
  const order = raw(column === undefined ? `d.row ${along}` : `d.${column} ${along}, d.row ${along}`)
  return sql`FROM ${from} WHERE ${and([range, isAfter(column, descends, last)])} ORDER BY ${order}`
}

function isAfter(column: string | undefined, descends: boolean, last: SortedRow | undefined): Sql {
  if (last === undefined) return ALWAYS
  const beyond = raw(descends ? '<' : '>')
  if (column === undefined) return sql`d.row ${beyond} ${last.row}`
  return sql`(${raw(`d.${column}`)}, d.row) ${beyond} (${last.keys[0] ?? null}, ${last.row})`
}
