/**
 * A page in the order of several sort keys: the index of the first one is read in its order, and rows that share its
 * value (a group) are ordered by the other keys.
 */

import type { CursorKey } from '../cursor.ts'
import { type AccessPath, FIRST_COUNT, mostToCollect } from './access-path.ts'
import { isAtLeast, narrowed, type Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { exists } from './exists.ts'
import { collectRows } from './page-collect.ts'
import { scanValues, valuesFirst } from './page-scan.ts'
import type { PageRange, SortedRow } from './row-order.ts'
import type { OrderedScan } from './sort.ts'
import { ALWAYS, and, joined, NEVER, raw, type Sql, sql } from './sql.ts'
import type { Term } from './term.ts'
import type { TypeSearch } from './type-search.ts'

/** Finds a page by the best strategy: a large group is a search of its own, with one sort key less. */
type PageOf = (engine: Engine, search: TypeSearch, page: PageRange) => readonly SortedRow[]

interface Groups {
  readonly engine: Engine
  readonly search: TypeSearch
  /** The scan of the first key's index. */
  readonly scan: OrderedScan
  readonly pageOf: PageOf
}

/** Reads groups in order; resources without a value of the first key come last, as a group. */
export function scanGroups(
  engine: Engine,
  search: TypeSearch,
  scan: OrderedScan,
  page: PageRange,
  pageOf: PageOf,
): readonly SortedRow[] {
  const groups: Groups = { engine, search, scan, pageOf }
  return valuesFirst(
    scan,
    page,
    (range) => groupsInOrder(groups, range),
    (range) => groupAsSearch(groups, null, range),
  )
}

/**
 * The first rows by the first key alone, each group ordered by the other keys. The last group may have more rows than
 * these, so it is read separately.
 */
function groupsInOrder(groups: Groups, { after, limit }: PageRange): readonly SortedRow[] {
  const { engine, search, scan } = groups
  const begun = after === undefined ? [] : groupPage(groups, after.keys[0] ?? null, { after, limit })
  if (begun.length === limit) return begun
  const wanted = limit - begun.length
  const descends = search.orderings[0]?.descending ?? false
  const behindGroup = after && lastOfGroup(after, descends)
  const heads = scanValues(engine, search, scan, descends, { after: behindGroup, limit: wanted })
  const last = heads.length < wanted ? undefined : heads.at(-1)?.keys[0]
  const complete = heads.filter(({ keys }) => keys[0] !== last)
  const sorted = collectRows(engine, these(complete), search.orderings, { after: undefined, limit: wanted })
  const rest = last === undefined ? [] : groupPage(groups, last, { after: undefined, limit: wanted - complete.length })
  return [...begun, ...sorted, ...rest]
}

/** A position after every row that shares its first key. */
const lastOfGroup = ({ keys }: SortedRow, descends: boolean): SortedRow => ({
  keys: keys.slice(0, 1),
  row: descends ? -1 : Number.MAX_SAFE_INTEGER,
})

const these = (rows: readonly SortedRow[]): Source => ({
  from: sql`json_each(${JSON.stringify(rows.map(({ row }) => row))}) AS d`,
  where: ALWAYS,
  row: raw('d.value'),
  inRowOrder: false,
  distinct: true,
})

/** The rows with one value of the first key: few are sorted, for many the index of the next key is scanned. */
function groupPage(groups: Groups, value: CursorKey, page: PageRange): readonly SortedRow[] {
  const { engine, search, scan } = groups
  const hasValue = sql`${scan.column} = ${value}`
  const [, ...others] = search.orderings
  const isScannable = others[0]?.scan !== undefined
  const most = mostToCollect(engine, search.scope, page.limit)
  const tests = search.terms.map((term) => exists(term, raw('d.row')))
  const [all, group] = [sourceOf(scan, hasValue), sourceOf(scan, hasValue, ...tests, scan.isSortRow)]
  if (isScannable && isAtLeast(engine, all, Math.min(most, FIRST_COUNT))) {
    const undecided = { counted: all, most }
    return groupAsSearch(groups, value, page, { source: group, isFew: false, undecided })
  }
  // They are known to be few, so they need not be counted again.
  const source = { ...group, where: (isScannable && group.range) || group.where }
  return collectRows(engine, source, others, withoutFirstKey(page)).map(withFirstKey(value))
}

/**
 * The rows with one value of the first key (null: with none), as a search by the other keys.
 * @param group a source of all these rows; absent: the source of the whole search
 */
function groupAsSearch(
  { engine, search, pageOf }: Groups,
  value: CursorKey,
  page: PageRange,
  group?: AccessPath,
): readonly SortedRow[] {
  const [first, ...orderings] = search.orderings
  if (first === undefined) return []
  const term: Term = { op: 'sorted', value: first.value, equals: value }
  const { terms, every, path } = search
  const inGroup: TypeSearch = {
    ...search,
    terms: [...terms, term],
    orderings,
    every: () => narrowed(every(), [term]),
    path: group ?? (path && { ...path, source: narrowed(path.source, [term]) }),
  }
  return pageOf(engine, inGroup, withoutFirstKey(page)).map(withFirstKey(value))
}

const withoutFirstKey = ({ after, limit }: PageRange): PageRange => ({
  after: after && { keys: after.keys.slice(1), row: after.row },
  limit,
})

const withFirstKey =
  (value: CursorKey) =>
  ({ keys, row }: SortedRow): SortedRow => ({ keys: [value, ...keys], row })

function sourceOf({ sources }: OrderedScan, ...tests: readonly Sql[]): Source {
  const [first, ...others] = sources.map(({ from, where, slices }) => ({
    from,
    where: and([where, ...tests]),
    ...(slices === undefined ? {} : { range: and([slices.range, ...tests]) }),
  }))
  const shape = { row: raw('d.row'), inRowOrder: false, distinct: true }
  if (first === undefined) return { ...shape, from: raw('(SELECT 0 AS row) AS d'), where: NEVER }
  if (others.length === 0) return { ...shape, ...first }
  const parts = [first, ...others].map(({ from, where }) => sql`SELECT d.row AS row FROM ${from} WHERE ${where}`)
  return { ...shape, from: sql`(${joined(parts, ' UNION ALL ')}) AS d`, where: ALWAYS }
}
