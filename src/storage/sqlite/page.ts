/** One page of rows of one resource type, and their number. */
import type { Condition, SortKey } from '../../search/plan.ts'
import type { CursorKey } from '../cursor.ts'
import { bestSource } from './choose.ts'
import { compile } from './compile.ts'
import type { Engine } from './engine.ts'
import { probe } from './probe.ts'
import { comesAfter, direction, type Ordering, orderingOf, type Position, rowDirection, type Walk } from './sort.ts'
import { everyRow, narrowed, type Source } from './source.ts'
import { ALWAYS, and, limitedTo, list, raw, type Sql, sql } from './sql.ts'
import { allOf, type Scope, type Term } from './term.ts'

/** A search of one type, ready to give pages. */
export interface TypeSearch {
  readonly terms: readonly Term[]
  readonly orderings: readonly Ordering[]
  readonly every: Source
  readonly best: ReturnType<typeof bestSource>
}

/** For pages of `wanted` rows; undefined: nothing can match. */
export function typeSearch(
  engine: Engine,
  scope: Scope,
  where: readonly Condition[],
  sort: readonly SortKey[],
  wanted: number,
): TypeSearch | undefined {
  const terms = flattened(where).map((condition) => compile(engine, scope, condition))
  if (allOf(terms).op === 'never') return undefined
  return {
    terms,
    orderings: sort.map((key) => orderingOf(engine, scope, key)),
    every: narrowed(everyRow(scope), terms),
    best: bestSource(engine, scope, terms, { wanted, sorted: sort.length > 0 }),
  }
}

const flattened = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.flatMap((condition) => (condition.kind === 'all' ? flattened(condition.of) : [condition]))

export function countRows(engine: Engine, { best, every }: TypeSearch): number {
  const source = best?.source ?? every
  const rows = sql`SELECT ${distinct(source)} ${source.row} FROM ${source.from} WHERE ${source.where}`
  return engine.db.number(sql`SELECT count(*) FROM (${rows})`)
}

/** At most `limit` rows after `position`, in order, with the values they are sorted by. */
export function pageOf(
  engine: Engine,
  search: TypeSearch,
  position: Position | undefined,
  limit: number,
): readonly Position[] {
  const [first] = search.orderings
  if (first === undefined) return rows(engine, inRowOrder(search, position, limit))
  if (comesInOrder(search)) return rows(engine, ordered(search, search.best?.source, raw('d.low'), position, limit))
  const walk = walkFor(engine, search, first)
  if (walk === undefined) return rows(engine, collected(search, position, limit))
  const valued = position?.keys[0] === null ? [] : rows(engine, walked(engine, search, walk, position, limit))
  if (valued.length === limit || walk.param === undefined) return valued
  const rest = position?.keys[0] === null ? position : undefined
  return [...valued, ...rows(engine, withoutValue(search, walk, rest, limit - valued.length))]
}

function rows(engine: Engine, query: Sql): readonly Position[] {
  return engine.db.select<[number, ...CursorKey[]]>(query).map(([row, ...keys]) => ({ row, keys }))
}

const distinct = (source: Source): Sql => raw(source.distinct ? '' : 'DISTINCT')

function inRowOrder({ best, every }: TypeSearch, position: Position | undefined, limit: number): Sql {
  const source = best !== undefined && (best.few || best.source.inRowOrder) ? best.source : every
  const after = position === undefined ? ALWAYS : sql`${source.row} > ${position.row}`
  return sql`SELECT ${distinct(source)} ${source.row} FROM ${source.from} WHERE ${and([source.where, after])}
    ORDER BY ${source.row} ${limitedTo(limit)}`
}

/** A combined index that has the wanted order already. */
function comesInOrder({ best, orderings }: TypeSearch): boolean {
  const [first] = orderings
  const param = best?.source.byRangeOf
  return param !== undefined && orderings.length === 1 && !first?.descending && first?.walk?.param === param
}

/** The walk through the first key's index, unless collecting the candidates is less work. */
function walkFor(engine: Engine, { best, terms }: TypeSearch, first: Ordering): Walk | undefined {
  const { walk } = first
  if (best === undefined || walk === undefined || !searches(terms, walk)) return best?.few ? undefined : walk
  // The sorted parameter is searched too. Where a resource may have several entries, the one that matches need not be
  // the one that sorts; where it has one, the walk is over the matches themselves.
  if (engine.names.factsOf(walk.param ?? 0).repeated) return undefined
  return best.few && terms.length > 1 ? undefined : walk
}

const searches = (terms: readonly Term[], { param }: Walk): boolean =>
  terms.some((term) => term.op === 'entry' && term.param === param)

/** Every candidate with its values, then sorted. */
function collected(search: TypeSearch, position: Position | undefined, limit: number): Sql {
  const source = search.best?.source ?? search.every
  const row = raw('c.row')
  const values = search.orderings.map((ordering) => ordering.value(row))
  const after = position === undefined ? ALWAYS : comesAfter(search.orderings, values, row, position)
  return sql`SELECT ${list([row, ...named(values)])}
    FROM (SELECT ${distinct(source)} ${source.row} AS row FROM ${source.from} WHERE ${source.where}) AS c
    WHERE ${after} ORDER BY ${orderBy(search.orderings, row)} ${limitedTo(limit)}`
}

/** The index of the first key, in its order; the other terms are probed on the way. */
function walked(engine: Engine, search: TypeSearch, walk: Walk, position: Position | undefined, limit: number): Sql {
  const repeated = walk.param !== undefined && engine.names.factsOf(walk.param).repeated
  const tests = search.terms.map((term) =>
    // On the walked entry itself where it is the only one: then the walk begins at the first that matches.
    term.op === 'entry' && term.param === walk.param && !repeated ? term.matches(raw('d')) : probe(term, raw('d.row')),
  )
  const source = { from: walk.from, where: and([walk.where, ...tests]) }
  return ordered(search, source, walk.column, position, limit)
}

function ordered(
  { orderings }: TypeSearch,
  source: Pick<Source, 'from' | 'where'> | undefined,
  column: Sql,
  position: Position | undefined,
  limit: number,
): Sql {
  if (source === undefined) throw new Error('A search without a source has no order')
  const row = raw('d.row')
  const values = [column, ...orderings.slice(1).map((ordering) => ordering.value(row))]
  const after = position === undefined ? ALWAYS : comesAfterColumn(orderings, values, column, position)
  return sql`SELECT ${list([row, ...named(values)])} FROM ${source.from} WHERE ${and([source.where, after])}
    ORDER BY ${orderBy(orderings, row, column)} ${limitedTo(limit)}`
}

/** With a comparison in front that the index can seek by. */
function comesAfterColumn(
  orderings: readonly Ordering[],
  values: readonly Sql[],
  column: Sql,
  position: Position,
): Sql {
  const [key = null] = position.keys
  const operator = raw(orderings[0]?.descending ? '<' : '>')
  if (orderings.length === 1) return sql`(${column}, d.row) ${operator} (${key}, ${position.row})`
  return and([sql`${column} ${operator}= ${key}`, comesAfter(orderings, values, raw('d.row'), position)])
}

/** The resources that the walked index does not have. */
function withoutValue(search: TypeSearch, walk: Walk, position: Position | undefined, limit: number): Sql {
  const { every, orderings } = search
  const values = [raw('NULL'), ...orderings.slice(1).map((ordering) => ordering.value(every.row))]
  const after = position === undefined ? ALWAYS : comesAfter(orderings, values, every.row, position)
  return sql`SELECT ${list([every.row, ...named(values)])} FROM ${every.from}
    WHERE ${and([every.where, walk.absent(every.row), after])}
    ORDER BY ${orderBy(orderings, every.row)} ${limitedTo(limit)}`
}

const named = (values: readonly Sql[]): readonly Sql[] =>
  values.map((value, index) => sql`${value} AS ${raw(`k${index}`)}`)

/** `column` stands for the first key where it is an index's own, which is never missing. */
function orderBy(orderings: readonly Ordering[], row: Sql, column?: Sql): Sql {
  const keys = orderings.map(({ descending }, index) =>
    column !== undefined && index === 0
      ? sql`${column} ${direction(descending)}`
      : sql`${raw(`k${index}`)} ${direction(descending)} NULLS LAST`,
  )
  return list([...keys, sql`${row} ${rowDirection(orderings)}`])
}
