/** The order of the rows of a search: by its sort keys, then by row number. */
import type { SortKey } from '../../search/plan.ts'
import type { CursorKey } from '../cursor.ts'
import { compareKeys } from '../sort-order.ts'
import type { Engine } from './engine.ts'
import type { Ordering } from './sort.ts'
import { and, or, raw, type Sql, sql, withSets } from './sql.ts'

/** A row, and the values it is sorted by; the last one of a page marks where the next page begins. */
export interface SortedRow {
  readonly keys: readonly CursorKey[]
  readonly row: number
}

/** At most `limit` rows after the last one of the page before. */
export interface PageRange {
  readonly after: SortedRow | undefined
  readonly limit: number
}

/** The result of a statement that selects the row, then its keys. */
export const sortedRows = (engine: Engine, query: Sql): readonly SortedRow[] =>
  engine.db.select<[number, ...CursorKey[]]>(withSets(query)).map(([row, ...keys]) => ({ row, keys }))

/**
 * True when ties are broken by descending row number: the direction of the last key, so that a scan of its index has
 * the whole order.
 */
export const rowsDescend = (keys: readonly Pick<SortKey, 'descending'>[]): boolean => keys.at(-1)?.descending ?? false

export const direction = (descending: boolean): Sql => raw(descending ? 'DESC' : 'ASC')

/**
 * A test that is true for rows after `last`, the last row of the page before; a missing value comes after every value.
 */
export function comesAfter(orderings: readonly Ordering[], values: readonly Sql[], row: Sql, last: SortedRow): Sql {
  const operator = raw(rowsDescend(orderings) ? '<' : '>')
  return orderings.reduceRight((later: Sql, ordering, index) => {
    const [value, key] = [values[index] ?? raw('NULL'), last.keys[index] ?? null]
    if (key === null) return and([sql`${value} IS NULL`, later])
    const beyond = sql`${value} ${raw(ordering.descending ? '<' : '>')} ${key}`
    return or([beyond, sql`${value} IS NULL`, and([sql`${value} = ${key}`, later])])
  }, sql`${row} ${operator} ${last.row}`)
}

/** The first `limit` rows of the pages of several statements, each of which is in order. */
export function mergePages(
  keys: readonly Pick<SortKey, 'descending'>[],
  pages: readonly (readonly SortedRow[])[],
  limit: number,
): readonly SortedRow[] {
  const [first = []] = pages
  if (pages.length < 2) return first
  return pages
    .flat()
    .sort((one, other) => compareRows(keys, one, other))
    .slice(0, limit)
}

/** Compares rows in the order of the statements. */
const compareRows = (keys: readonly Pick<SortKey, 'descending'>[], one: SortedRow, other: SortedRow): number =>
  compareKeys(keys, one.keys, other.keys) || (rowsDescend(keys) ? other.row - one.row : one.row - other.row)
