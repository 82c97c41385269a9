/** The statements that give the rows of a page, each with the values it is sorted by. */

import { distinct, type Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { probe } from './exists.ts'
import { comesAfter, direction, type Ordering, type Position, rowsDescend, type Walk } from './sort.ts'
import { ALWAYS, and, limitedTo, list, raw, type Sql, sql } from './sql.ts'
import type { TypeSearch } from './type-search.ts'

export function inRowOrder({ best, every }: TypeSearch, position: Position | undefined, limit: number): Sql {
  const source = best !== undefined && (best.few || best.source.inRowOrder) ? best.source : every
  const after = position === undefined ? ALWAYS : sql`${source.row} > ${position.row}`
  return sql`SELECT ${distinct(source)} ${source.row} FROM ${source.from} WHERE ${and([source.where, after])}
    ORDER BY ${source.row} ${limitedTo(limit)}`
}

/** Every candidate with its values, then sorted. */
export function collected(search: TypeSearch, position: Position | undefined, limit: number): Sql {
  const source = search.best?.source ?? search.every
  const row = raw('c.row')
  const values = search.orderings.map((ordering) => ordering.value(row))
  const after = position === undefined ? ALWAYS : comesAfter(search.orderings, values, row, position)
  return sql`SELECT ${list([row, ...named(values)])}
    FROM (SELECT ${distinct(source)} ${source.row} AS row FROM ${source.from} WHERE ${source.where}) AS c
    WHERE ${after} ORDER BY ${orderBy(search.orderings, row)} ${limitedTo(limit)}`
}

/** The index of the only key, in its order; the terms are probed on the way. One statement for each source of the walk. */
export function walked(
  engine: Engine,
  search: Pick<TypeSearch, 'orderings' | 'terms'>,
  walk: Walk,
  position: Position | undefined,
  limit: number,
): readonly Sql[] {
  const repeated = walk.param !== undefined && engine.names.factsOf(walk.param).repeated
  const tests = search.terms.map((term) => {
    // On the walked row itself where it is the only one: then the walk begins at the first that matches.
    if (term.op === 'resource' && walk.param === undefined) return term.matches(raw('d'))
    if (term.op === 'entry' && term.param === walk.param && !repeated) return term.matches(raw('d'))
    return probe(term, raw('d.row'))
  })
  return walk.sources.map(({ from, where }) =>
    ordered(search, { from, where: and([where, ...tests, walk.isLeast]) }, walk.column, position, limit),
  )
}

/** In the order of the only key. */
export function ordered(
  { orderings }: Pick<TypeSearch, 'orderings'>,
  source: Pick<Source, 'from' | 'where'>,
  column: Sql,
  position: Position | undefined,
  limit: number,
): Sql {
  const descends = rowsDescend(orderings)
  const [key = null] = position?.keys ?? []
  const after =
    position === undefined ? ALWAYS : sql`(${column}, d.row) ${raw(descends ? '<' : '>')} (${key}, ${position.row})`
  return sql`SELECT d.row, ${column} FROM ${source.from} WHERE ${and([source.where, after])}
    ORDER BY ${column} ${direction(descends)}, d.row ${direction(descends)} ${limitedTo(limit)}`
}

const named = (values: readonly Sql[]): readonly Sql[] =>
  values.map((value, index) => sql`${value} AS ${raw(`k${index}`)}`)

function orderBy(orderings: readonly Ordering[], row: Sql): Sql {
  const keys = orderings.map(({ descending }, index) => sql`${raw(`k${index}`)} ${direction(descending)} NULLS LAST`)
  return list([...keys, sql`${row} ${direction(rowsDescend(orderings))}`])
}
