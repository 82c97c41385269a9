/**
 * One page of rows of one resource type. `strategyOf` decides how they are found: by one of the ways of
 * page-scan.ts, or in the order of several sort keys, by reading the index of the first one in its order; the rows that
 * share its value (a group) are ordered by the other keys.
 */

import type { CursorKey } from '../cursor.ts'
import { type AccessPath, decided, FIRST_COUNT, isFewAfterAll, mostToCollect, sizeOf } from './access-path.ts'
import { isAtLeast, narrowed, type Source, typeRows } from './candidates.ts'
import type { Engine } from './engine.ts'
import {
  collectRows,
  isSearched,
  isSliced,
  type PageRange,
  type SortedRow,
  scanCombinedIndex,
  scanEveryRow,
  scanRows,
  scanSortIndex,
  scanValues,
  valuesFirst,
} from './page-scan.ts'
import type { OrderedScan, Ordering } from './sort.ts'
import { ALWAYS, and, joined, NEVER, raw, type Sql, sql } from './sql.ts'
import { exists, type Term } from './term.ts'
import { fewVisits, type TypeSearch, type TypeSearches } from './type-search.ts'

type Strategy =
  /** No order is requested: by row number. */
  | { readonly kind: 'rows'; readonly source: Source }
  /** By row number, testing each resource of the type. */
  | { readonly kind: 'every' }
  /** A combined index has the candidates in the requested order. */
  | { readonly kind: 'combined'; readonly source: Source }
  /** The index of the only sort key is read in its order; the conditions are tested during the scan. */
  | { readonly kind: 'scan'; readonly scan: OrderedScan }
  /** The same for the first of several sort keys; rows that share its value are ordered by the others. */
  | { readonly kind: 'groups'; readonly scan: OrderedScan }
  /** Every candidate is read with its sort values, then sorted. */
  | { readonly kind: 'collect'; readonly source: Source }

/**
 * The rows in order, with their sort values. Testing each resource ends early if matches are found soon, so it is tried
 * first; when it takes long, conditions on other resources become sets.
 */
export function pageOf(engine: Engine, { byTests, bySets }: TypeSearches, page: PageRange): readonly SortedRow[] {
  const soon = bySets && engine.db.visited.within(fewVisits(engine), () => pageBy(engine, byTests, page))
  return soon ?? pageBy(engine, bySets?.() ?? byTests, page)
}

function pageBy(engine: Engine, search: TypeSearch, page: PageRange): readonly SortedRow[] {
  const soon = soonScanned(engine, search, page)
  return soon ?? pageByStrategy(engine, { ...search, path: decided(search.path) }, page)
}

/** Visits of a scan that is tried before the candidates are counted, in addition to two for each row of the page. */
const SOON = 256

/** A page from the first rows of the only sort key's index, where these suffice. */
function soonScanned(engine: Engine, search: TypeSearch, page: PageRange): readonly SortedRow[] | undefined {
  const { path, orderings, terms } = search
  const [{ scan } = {}, ...others] = orderings
  if (path?.decide === undefined || scan === undefined || others.length > 0) return undefined
  if (scan.needsMany || (scan.isRepeated && isSearched(scan, terms))) return undefined
  return engine.db.visited.within(SOON + 2 * page.limit, () => scanSortIndex(engine, search, scan, page))
}

function pageByStrategy(engine: Engine, search: TypeSearch, page: PageRange): readonly SortedRow[] {
  const strategy = strategyOf(engine, search)
  switch (strategy.kind) {
    case 'rows':
      return scanRows(engine, strategy.source, page)
    case 'every':
      return (
        engine.db.visited.within(Number.POSITIVE_INFINITY, () => scanEveryRow(engine, search, page)) ??
        scanRows(engine, search.path?.source ?? search.every(), page)
      )
    case 'combined':
      return scanCombinedIndex(engine, strategy.source, search.orderings, page)
    case 'scan':
      return orCollected(engine, search, page, () => scanSortIndex(engine, search, strategy.scan, page))
    case 'groups':
      return orCollected(engine, search, page, () => scanGroups(engine, search, strategy.scan, page))
    case 'collect':
      return collectRows(engine, strategy.source, search.orderings, page)
  }
}

const LEAST_SCAN = 4_000
const VISITS_OF_SCAN = 4

/** Runs `scan`, and gives it up for collecting the candidates once it has visited so much that collecting is faster. */
function orCollected(
  engine: Engine,
  { scope, terms, path, every, orderings }: TypeSearch,
  page: PageRange,
  scan: () => readonly SortedRow[],
): readonly SortedRow[] {
  const isShort = terms.length === 0 && orderings.every((ordering) => ordering.scan?.isSortRow === ALWAYS)
  if (isShort) return scan()
  const most = LEAST_SCAN + VISITS_OF_SCAN * sizeOf(engine, scope)
  return engine.db.visited.within(most, scan) ?? collectRows(engine, path?.source ?? every(), orderings, page)
}

function strategyOf(engine: Engine, search: TypeSearch): Strategy {
  const { path, every, orderings } = search
  const [first, ...others] = orderings
  const source = path?.source ?? every()
  if (first === undefined) return path?.isFew || source.inRowOrder ? { kind: 'rows', source } : { kind: 'every' }
  if (isInOrder(source, orderings)) return { kind: 'combined', source }
  const scan = worthwhileScan(engine, search, first)
  if (scan === undefined) return { kind: 'collect', source }
  return { kind: others.length === 0 ? 'scan' : 'groups', scan }
}

/** True when the source is a combined index, and its range is the only sort key. */
function isInOrder({ byRangeOf }: Source, [first, ...others]: readonly Ordering[]): boolean {
  return byRangeOf !== undefined && others.length === 0 && !first?.descending && first?.scan?.param === byRangeOf
}

/** The scan of the first key's index; undefined where collecting the candidates is less work. */
function worthwhileScan(engine: Engine, { path, scope, terms }: TypeSearch, first: Ordering): OrderedScan | undefined {
  const { scan } = first
  if (scan?.needsMany && !isAtLeast(engine, typeRows(scope), engine.fewCandidates)) return undefined
  if (path === undefined || scan === undefined) return path?.isFew ? undefined : scan
  if (!isSearched(scan, terms)) {
    // A scan in slices checks this itself once it takes long.
    return path.isFew || (!isSliced(scan, terms) && isFewAfterAll(engine, path)) ? undefined : scan
  }
  // The sort parameter is also searched by. Where a resource may have several entries, the matching one need not be the
  // one it is sorted by; where it has one, the scan reads nothing but matches.
  if (scan.isRepeated) return undefined
  return path.isFew && terms.length > 1 ? undefined : scan
}

interface Groups {
  readonly engine: Engine
  readonly search: TypeSearch
  /** The scan of the first key's index. */
  readonly scan: OrderedScan
}

/** Reads groups in order; resources without a value of the first key come last, as a group. */
function scanGroups(engine: Engine, search: TypeSearch, scan: OrderedScan, page: PageRange): readonly SortedRow[] {
  const groups: Groups = { engine, search, scan }
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
 * The rows with one value of the first key (null: with none), as a search of its own by the other keys.
 * @param group a source of all these rows; absent: the source of the whole search
 */
function groupAsSearch(
  { engine, search }: Groups,
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
  return pageBy(engine, inGroup, withoutFirstKey(page)).map(withFirstKey(value))
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
