/**
 * One page of rows of one resource type. `strategyOf` decides how they are found; each strategy has its own file:
 * page-scan.ts reads an index in its order, page-groups.ts does so for several sort keys, page-collect.ts sorts.
 */
import { decided, isFewAfterAll, sizeOf } from './access-path.ts'
import { isAtLeast, type Source, typeRows } from './candidates.ts'
import type { Engine } from './engine.ts'
import { collectRows } from './page-collect.ts'
import { scanGroups } from './page-groups.ts'
import { isSearched, isSliced, scanCombinedIndex, scanEveryRow, scanRows, scanSortIndex } from './page-scan.ts'
import type { PageRange, SortedRow } from './row-order.ts'
import type { OrderedScan, Ordering } from './sort.ts'
import { ALWAYS } from './sql.ts'
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
      return orCollected(engine, search, page, () => scanGroups(engine, search, strategy.scan, page, pageBy))
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
