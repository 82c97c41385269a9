/**
 * A page by reading an index in its order until the page is full: by row, by a combined index, or by the only sort key.
 */
import { isFewAfterAll } from './access-path.ts'
import { distinct, type Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { exists } from './exists.ts'
import {
  comesAfter,
  direction,
  mergePages,
  type PageRange,
  rowsDescend,
  type SortedRow,
  sortedRows,
} from './row-order.ts'
import { readSlices, type SlicedIndex } from './slices.ts'
import type { OrderedScan, Ordering } from './sort.ts'
import { ALWAYS, and, limitedTo, raw, type Sql, sql } from './sql.ts'
import type { Scope, Term } from './term.ts'
import type { TypeSearch } from './type-search.ts'

/** A page by row number: an index has the rows in that order, or they are few and are sorted. */
export function scanRows(engine: Engine, source: Source, { after, limit }: PageRange): readonly SortedRow[] {
  const isAfter = after === undefined ? ALWAYS : sql`${source.row} > ${after.row}`
  return sortedRows(
    engine,
    sql`SELECT ${distinct(source)} ${source.row} FROM ${source.from} WHERE ${and([source.where, isAfter])}
    ORDER BY ${source.row} ${limitedTo(limit)}`,
  )
}

/** A page by row number, testing every resource of the type. */
export function scanEveryRow(engine: Engine, search: TypeSearch, page: PageRange): readonly SortedRow[] {
  const tests = search.terms.map((term) => exists(term, raw('d.row')))
  if (tests.some(hasSets)) return scanRows(engine, search.every(), page)
  return readSlices(engine, everyRowSliced(search.scope), tests, page, () => giveUpForFew(engine, search))
}

const everyRowSliced = ({ type }: Scope): SlicedIndex => ({
  from: sql`resource AS d INDEXED BY resource_by_row`,
  range: sql`d.type = ${type} AND d.live = 1`,
  columns: ['row'],
  descends: false,
})

/** @throws TooManyRows where the candidates are few, so that the caller collects them instead */
function giveUpForFew(engine: Engine, { path }: Pick<TypeSearch, 'path'>): void {
  if (path !== undefined && isFewAfterAll(engine, path)) engine.db.visited.giveUp()
}

export const scanCombinedIndex = (
  engine: Engine,
  source: Source,
  orderings: readonly Ordering[],
  page: PageRange,
): readonly SortedRow[] => sortedRows(engine, inOrder(source, raw('d.low'), rowsDescend(orderings), page))

/** A page by the index of the only sort key. Resources without a value, which the index does not have, come last. */
export function scanSortIndex(
  engine: Engine,
  search: TypeSearch,
  scan: OrderedScan,
  page: PageRange,
): readonly SortedRow[] {
  const descends = rowsDescend(search.orderings)
  return valuesFirst(
    scan,
    page,
    (range) => scanValues(engine, search, scan, descends, range),
    (range) =>
      isSearched(scan, search.terms)
        ? unsortedEntries(engine, search, scan, range)
        : withoutValue(engine, search, search.every(), scan, range),
  )
}

/** True when there is also a condition on the sort parameter, so that only resources with an entry of it can match. */
export const isSearched = ({ param }: OrderedScan, terms: readonly Term[]): boolean =>
  terms.some((term) => term.op === 'entry' && term.param === param)

/** A page of the rows that have a value of the first key, then of those without one. */
export function valuesFirst(
  { param }: OrderedScan,
  { after, limit }: PageRange,
  withValue: (page: PageRange) => readonly SortedRow[],
  withoutOne: (page: PageRange) => readonly SortedRow[],
): readonly SortedRow[] {
  const isPastValues = after?.keys[0] === null
  const valued = isPastValues ? [] : withValue({ after, limit })
  if (valued.length === limit || param === undefined) return valued
  return [...valued, ...withoutOne({ after: isPastValues ? after : undefined, limit: limit - valued.length })]
}

/** The matching rows of the index; the conditions are tested during the scan. */
export function scanValues(
  engine: Engine,
  search: Pick<TypeSearch, 'terms' | 'path'>,
  scan: OrderedScan,
  descends: boolean,
  page: PageRange,
): readonly SortedRow[] {
  const tests = [...testsOf(search.terms, scan), scan.isSortRow].filter((test) => test !== ALWAYS)
  const inSlices = tests.length > 0 && isSliced(scan, search.terms)
  const found = scan.sources.map(({ from, where, slices }) =>
    inSlices && slices !== undefined
      ? readSlices(engine, { from, descends, ...slices }, tests, page, () => giveUpForFew(engine, search))
      : sortedRows(engine, inOrder({ from, where: and([where, ...tests]) }, scan.column, descends, page)),
  )
  return mergePages([{ descending: descends }], found, page.limit)
}

/**
 * True when the index can be read in slices: not where conditions on its own rows determine its start, nor where the
 * statement of each slice would evaluate sets again.
 */
export const isSliced = ({ sources, param }: OrderedScan, terms: readonly Term[]): boolean =>
  sources.every(({ slices }) => slices !== undefined) &&
  !terms.some((term) => (param === undefined ? term.op === 'resource' : term.op === 'entry' && term.param === param)) &&
  !terms.some((term) => hasSets(exists(term, raw('d.row'))))

const hasSets = ({ sets }: Sql): boolean => sets !== undefined

function testsOf(terms: TypeSearch['terms'], { param, isRepeated }: OrderedScan): readonly Sql[] {
  return terms.map((term) => {
    // Tested on the scanned row itself where it is the only one: then the scan begins at the first match.
    if (term.op === 'resource' && param === undefined) return term.matches(raw('d'))
    if (term.op === 'entry' && term.param === param && !isRepeated) return term.matches(raw('d'))
    return exists(term, raw('d.row'))
  })
}

/** A query for rows in the order of `column`, then of rows. */
function inOrder(
  { from, where }: Pick<Source, 'from' | 'where'>,
  column: Sql,
  descends: boolean,
  { after, limit }: PageRange,
): Sql {
  const [key = null] = after?.keys ?? []
  const isAfter =
    after === undefined ? ALWAYS : sql`(${column}, d.row) ${raw(descends ? '<' : '>')} (${key}, ${after.row})`
  // isAfter comes first: of two bounds on the column SQLite begins at the first, and the other one may lie far before
  // the page.
  return sql`SELECT d.row, ${column} FROM ${from} WHERE ${and([isAfter, where])}
    ORDER BY ${column} ${direction(descends)}, d.row ${direction(descends)} ${limitedTo(limit)}`
}

function withoutValue(
  engine: Engine,
  { orderings }: TypeSearch,
  source: Source,
  scan: OrderedScan,
  { after, limit }: PageRange,
): readonly SortedRow[] {
  const isAfter = after === undefined ? ALWAYS : comesAfter(orderings, [raw('NULL')], source.row, after)
  return sortedRows(
    engine,
    sql`SELECT ${distinct(source)} ${source.row}, NULL FROM ${source.from}
      WHERE ${and([source.where, scan.absent(source.row), isAfter])}
      ORDER BY ${source.row} ${direction(rowsDescend(orderings))} ${limitedTo(limit)}`,
  )
}

/** The rows that match by an entry of the sort parameter that is not a sort value. */
function unsortedEntries(engine: Engine, search: TypeSearch, scan: OrderedScan, page: PageRange): readonly SortedRow[] {
  const { unsorted } = scan
  if (unsorted === undefined) return []
  if (unsorted === 'anywhere') return withoutValue(engine, search, search.path?.source ?? search.every(), scan, page)
  const where = and([unsorted.where, ...testsOf(search.terms, scan)])
  const source = { from: unsorted.from, where, row: raw('d.row'), inRowOrder: false, distinct: false }
  return withoutValue(engine, search, source, scan, page)
}
