/** One page of rows of one resource type. */
import type { CursorKey } from '../cursor.ts'
import { mostToCollect } from './access-path.ts'
import { everyRow, narrowed, type Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { collected, inRowOrder, ordered, walked } from './page-queries.ts'
import {
  comesAfter,
  comparePositions,
  direction,
  type Ordering,
  type Position,
  rowsDescend,
  type Walk,
} from './sort.ts'
import { ALWAYS, and, joined, limitedTo, NEVER, raw, type Sql, sql } from './sql.ts'
import type { Term } from './term.ts'
import type { TypeSearch } from './type-search.ts'

/** At most `limit` rows after `position`, in order, with the values they are sorted by. */
export function pageOf(
  engine: Engine,
  search: TypeSearch,
  position: Position | undefined,
  limit: number,
): readonly Position[] {
  const [first] = search.orderings
  if (first === undefined) return rows(engine, inRowOrder(search, position, limit))
  const inOrder = inOrderAlready(search)
  if (inOrder !== undefined) return rows(engine, ordered(search, inOrder, raw('d.low'), position, limit))
  const walk = walkFor(engine, search, first)
  if (walk === undefined) return rows(engine, collected(search, position, limit))
  const isBeyond = position?.keys[0] === null
  const valued = isBeyond ? [] : inGroups(engine, search, walk, position, limit)
  if (valued.length === limit || walk.param === undefined) return valued
  const rest = limit - valued.length
  return [...valued, ...withoutValue(engine, search, walk, isBeyond ? position : undefined, rest)]
}

function rows(engine: Engine, query: Sql): readonly Position[] {
  return engine.db.select<[number, ...CursorKey[]]>(query).map(([row, ...keys]) => ({ row, keys }))
}

/** A combined index that has the wanted order already. */
function inOrderAlready({ best, orderings }: TypeSearch): Source | undefined {
  const [first] = orderings
  const param = best?.source.byRangeOf
  const isOrder = orderings.length === 1 && !first?.descending && first?.walk?.param === param
  return param !== undefined && isOrder ? best?.source : undefined
}

/** The walk through the first key's index, unless collecting the candidates is less work. */
function walkFor(engine: Engine, { best, scope, terms }: TypeSearch, first: Ordering): Walk | undefined {
  const { walk } = first
  if (walk?.onlyAmongMany && !isAtLeast(engine, everyRow(scope), engine.fewCandidates)) return undefined
  if (best === undefined || walk === undefined || !searches(terms, walk)) return best?.few ? undefined : walk
  // The sorted parameter is searched too. Where a resource may have several entries, the one that matches need not be
  // the one that sorts; where it has one, the walk is over the matches themselves.
  if (engine.names.factsOf(walk.param ?? 0).repeated) return undefined
  return best.few && terms.length > 1 ? undefined : walk
}

const searches = (terms: readonly Term[], { param }: Walk): boolean =>
  terms.some((term) => term.op === 'entry' && term.param === param)

/** The resources that the walked index does not have. */
function withoutValue(
  engine: Engine,
  search: TypeSearch,
  walk: Walk,
  position: Position | undefined,
  limit: number,
): readonly Position[] {
  const { every, orderings } = search
  if (orderings.length > 1) return alike(engine, search, null, position, limit)
  const after = position === undefined ? ALWAYS : comesAfter(orderings, [raw('NULL')], every.row, position)
  return rows(
    engine,
    sql`SELECT ${every.row}, NULL FROM ${every.from} WHERE ${and([every.where, walk.absent(every.row), after])}
      ORDER BY ${every.row} ${direction(rowsDescend(orderings))} ${limitedTo(limit)}`,
  )
}

/**
 * By several keys: the first rows by the first key alone, and those that share its value put in order by the others.
 * Of the last such group there may be more rows than these.
 */
function inGroups(
  engine: Engine,
  search: TypeSearch,
  walk: Walk,
  position: Position | undefined,
  limit: number,
): readonly Position[] {
  const [first] = search.orderings
  if (search.orderings.length === 1) return walkedRows(engine, search, walk, position, limit)
  const byFirst = { ...search, orderings: first === undefined ? [] : [first] }
  const begun = position === undefined ? [] : group(engine, search, walk, position.keys[0] ?? null, position, limit)
  if (begun.length === limit) return begun
  const wanted = limit - begun.length
  const heads = walkedRows(engine, byFirst, walk, position && lastOfGroup(position, first), wanted)
  const last = heads.length < wanted ? undefined : heads.at(-1)?.keys[0]
  const complete = heads.filter(({ keys }) => keys[0] !== last)
  const ordered = rows(
    engine,
    collected({ ...search, best: { source: these(complete), few: true } }, undefined, wanted),
  )
  const rest = last === undefined ? [] : group(engine, search, walk, last, undefined, wanted - complete.length)
  return [...begun, ...ordered, ...rest]
}

function walkedRows(
  engine: Engine,
  search: TypeSearch,
  walk: Walk,
  position: Position | undefined,
  limit: number,
): readonly Position[] {
  const found = walked(engine, search, walk, position, limit).map((query) => rows(engine, query))
  const [first = []] = found
  if (found.length < 2) return first
  return found
    .flat()
    .sort((one, other) => comparePositions(search.orderings, one, other))
    .slice(0, limit)
}

/** A position behind every row with its first key. */
const lastOfGroup = ({ keys }: Position, first: Ordering | undefined): Position => ({
  keys: keys.slice(0, 1),
  row: first?.descending ? -1 : Number.MAX_SAFE_INTEGER,
})

const these = (positions: readonly Position[]): Source => ({
  from: sql`json_each(${JSON.stringify(positions.map(({ row }) => row))}) AS d`,
  where: ALWAYS,
  row: raw('d.value'),
  inRowOrder: false,
  distinct: true,
})

/** Rows with one value of the first key, in the order of the others: a few are sorted, of many the next index is walked. */
function group(
  engine: Engine,
  search: TypeSearch,
  walk: Walk,
  value: CursorKey,
  position: Position | undefined,
  limit: number,
): readonly Position[] {
  const inGroup = sourceOf(walk, sql`${walk.column} = ${value}`)
  const hasNext = search.orderings[1]?.walk !== undefined
  if (hasNext && isAtLeast(engine, inGroup, mostToCollect(engine, search.scope, limit)))
    return alike(engine, search, value, position, limit)
  const source = narrowed(sourceOf(walk, sql`${walk.column} = ${value}`, walk.isLeast), search.terms)
  const others = { ...search, orderings: search.orderings.slice(1), best: { source, few: true } }
  return rows(engine, collected(others, position && withoutFirst(position), limit)).map(withFirst(value))
}

const withoutFirst = ({ keys, row }: Position): Position => ({ keys: keys.slice(1), row })

const withFirst =
  (value: CursorKey) =>
  ({ keys, row }: Position): Position => ({ keys: [value, ...keys], row })

function sourceOf({ sources }: Walk, ...tests: readonly Sql[]): Source {
  const [first, ...others] = sources.map(({ from, where }) => ({ from, where: and([where, ...tests]) }))
  const shape = { row: raw('d.row'), inRowOrder: false, distinct: true }
  if (first === undefined) return { ...shape, from: raw('(SELECT 0 AS row) AS d'), where: NEVER }
  if (others.length === 0) return { ...shape, ...first }
  const parts = [first, ...others].map(({ from, where }) => sql`SELECT d.row AS row FROM ${from} WHERE ${where}`)
  return { ...shape, from: sql`(${joined(parts, ' UNION ALL ')}) AS d`, where: ALWAYS }
}

const isAtLeast = (engine: Engine, { from, where }: Pick<Source, 'from' | 'where'>, size: number): boolean =>
  engine.db.number(sql`SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE ${where} ${limitedTo(size)})`) >= size

/** The same search among the rows with one value of the first key (null: with none), by the other keys. */
function alike(
  engine: Engine,
  search: TypeSearch,
  value: CursorKey,
  position: Position | undefined,
  limit: number,
): readonly Position[] {
  const [first, ...orderings] = search.orderings
  if (first === undefined) return []
  const term: Term = { op: 'sorted', value: first.value, equals: value }
  const { every, best } = search
  const rest: TypeSearch = {
    ...search,
    terms: [...search.terms, term],
    orderings,
    every: narrowed(every, [term]),
    best: best && { ...best, source: narrowed(best.source, [term]) },
  }
  return pageOf(engine, rest, position && withoutFirst(position), limit).map(withFirst(value))
}
