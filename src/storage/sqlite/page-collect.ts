/** A page by collecting: every candidate is read with its sort values, then sorted. */
import { distinct, type Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { comesAfter, direction, type PageRange, rowsDescend, type SortedRow, sortedRows } from './row-order.ts'
import type { Ordering } from './sort.ts'
import { ALWAYS, limitedTo, list, raw, type Sql, sql } from './sql.ts'

export function collectRows(
  engine: Engine,
  source: Source,
  orderings: readonly Ordering[],
  { after, limit }: PageRange,
): readonly SortedRow[] {
  const row = raw('c.row')
  const values = orderings.map((ordering) => ordering.value(row))
  const isAfter = after === undefined ? ALWAYS : comesAfter(orderings, values, row, after)
  return sortedRows(
    engine,
    sql`SELECT ${list([row, ...named(values)])}
    FROM (SELECT ${distinct(source)} ${source.row} AS row FROM ${source.from} WHERE ${source.where}) AS c
    WHERE ${isAfter} ORDER BY ${orderBy(orderings, row)} ${limitedTo(limit)}`,
  )
}

const named = (values: readonly Sql[]): readonly Sql[] =>
  values.map((value, index) => sql`${value} AS ${raw(`k${index}`)}`)

function orderBy(orderings: readonly Ordering[], row: Sql): Sql {
  const keys = orderings.map(({ descending }, index) => sql`${raw(`k${index}`)} ${direction(descending)} NULLS LAST`)
  return list([...keys, sql`${row} ${direction(rowsDescend(orderings))}`])
}
