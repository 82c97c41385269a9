/**
 * The two ways to find a page: reading an index in its order until the page is full (by row, by a combined index, or by
 * the only sort key), and sorting all candidates. Rows are in the order of the sort keys, then of row numbers.
 */

import type { SortKey } from '../../search/plan.ts'
import { type CursorKey, compareKeys } from '../cursor.ts'
import { isFewAfterAll } from './access-path.ts'
import { distinct, type Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import type { OrderedScan, Ordering } from './sort.ts'
import { ALWAYS, and, limitedTo, list, or, raw, type Sql, sql, withSets } from './sql.ts'
import { exists, type Scope, type Slices, type Term } from './term.ts'
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

/** A page by collecting: every candidate is read with its sort values, then sorted. */
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

/** An index that is read in slices: one table, as alias d. */
interface SlicedIndex extends Slices {
  readonly from: Sql
  readonly descends: boolean
}

/** Rows of the first slice, which fills most pages; each slice is four times as long as the one before. */
const FIRST_SLICE = 128
const LONGEST_SLICE = 2_048
/** A page that is full after so many rows counts as quickly filled. */
const SOON = 2_048

/**
 * The first rows after the previous page for which all `tests` hold: the index is read a slice at a time. The rows of a
 * slice count as visited all at once, since calling JavaScript for each (`visited`) takes as long as testing it.
 * @param notSoon called at most once, when the page would take long; an error that it throws ends the reading
 */
function readSlices(
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
const sortedRows = (engine: Engine, query: Sql): readonly SortedRow[] =>
  engine.db.select<[number, ...CursorKey[]]>(withSets(query)).map(([row, ...keys]) => ({ row, keys }))

/**
 * True when ties are broken by descending row number: the direction of the last key, so that a scan of its index has
 * the whole order.
 */
const rowsDescend = (keys: readonly Pick<SortKey, 'descending'>[]): boolean => keys.at(-1)?.descending ?? false

const direction = (descending: boolean): Sql => raw(descending ? 'DESC' : 'ASC')

/**
 * A test that is true for rows after `last`, the last row of the page before; a missing value comes after every value.
 */
function comesAfter(orderings: readonly Ordering[], values: readonly Sql[], row: Sql, last: SortedRow): Sql {
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
