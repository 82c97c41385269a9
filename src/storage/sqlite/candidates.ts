/** Candidate rows of a search as a FROM and a WHERE clause, and the construction of such sources from one another. */
import type { Engine } from './engine.ts'
import {
  ALWAYS,
  and,
  joined,
  limitedTo,
  list,
  type RowSet,
  raw,
  rowsIn,
  type Sql,
  sql,
  visited,
  withSets,
} from './sql.ts'
import type { Source } from './term.ts'
import { ADDRESSES, type EntryTerm, exists, isThere, type Matches, type Scope, type Term } from './term.ts'

export type { Source } from './term.ts'

/** A source and the terms it does not already fulfil. */
export interface Candidate {
  readonly source: Source
  readonly rest: readonly Term[]
  /** The source is built from other sources, rather than one index. */
  readonly isDerived: boolean
}

/** More alternatives than this are tested row by row rather than joined. */
const MAX_ALTERNATIVES = 32
const D = raw('d')
const VISITED = visited(raw('d.row'))

const BY_ADDRESS = raw('resource AS d INDEXED BY resource_by_id')

/** Every live resource of the type, in row order. */
export const typeRows = (scope: Scope): Source => ({
  from: scope.typeName === ADDRESSES ? BY_ADDRESS : sql`resource AS d INDEXED BY resource_by_row`,
  where: and([sql`d.type = ${scope.type}`, isThere(D, scope)]),
  row: sql`d.row`,
  inRowOrder: true,
  distinct: true,
})

/** Every live resource of the type, for testing each of them. */
export function everyRow(scope: Scope): Source {
  const rows = typeRows(scope)
  return { ...rows, where: sql`${rows.where} AND ${VISITED}` }
}

/** `source` narrowed to rows that fulfil `terms` too. */
export function narrowed({ range, rows, ...source }: Source, terms: readonly Term[]): Source {
  const where = and([source.where, ...terms.map((term) => exists(term, source.row))])
  return { ...source, where, ...(terms.length > 0 ? {} : counted(range, rows)) }
}

const counted = (range: Sql | undefined, rows: number | undefined): Pick<Source, 'range' | 'rows'> =>
  range === undefined ? {} : rows === undefined ? { range } : { range, rows }

/** Tables whose indexes by value have the matching rows in a few pieces with little between them. */
const BY_TEXT: ReadonlySet<string> = new Set(['string_index', 'token_index', 'reference_index', 'uri_index'])

/**
 * The source of a term from its index by value; undefined where the term has none. @param params instead of the term's
 * own
 */
export function entrySource(term: EntryTerm, params: readonly number[] = [term.param]): Source | undefined {
  if (term.index === undefined) return term.source
  const [param, matches] = [isParameter(params), term.matches(D)]
  return {
    from: sql`${raw(term.table)} AS d INDEXED BY ${raw(term.index)}`,
    where: and([param, VISITED, matches]),
    row: sql`d.row`,
    inRowOrder: term.inRowOrder,
    distinct: false,
    ...(BY_TEXT.has(term.table) ? counted(and([param, matches]), params.length === 1 ? term.rows : undefined) : {}),
  }
}

/** The parameters are few, so they are listed in the text: a subquery for them would take longer than the rows. */
const isParameter = (params: readonly number[]): Sql => {
  const [only, ...others] = params
  return only !== undefined && others.length === 0
    ? sql`d.param = ${only}`
    : sql`d.param IN (${list(params.map((param) => sql`${param}`))})`
}

/**
 * One source for alternatives that are the same comparison with several parameters: `name` is found by family and given
 * names, and each of them also by its later words. Undefined for other alternatives.
 */
export function sharedSource(alternatives: readonly Term[]): Source | undefined {
  const terms = alternatives.flatMap((term) => (term.op === 'any' ? term.of : [term]))
  const [first] = terms
  if (first?.op !== 'entry' || first.comparison === undefined) return undefined
  const { index, comparison } = first
  const alike = terms.filter((term) => term.op === 'entry' && term.index === index && term.comparison === comparison)
  if (alike.length < terms.length) return undefined
  const params = terms.flatMap((term) => (term.op === 'entry' ? [term.param] : []))
  return entrySource({ ...first, inRowOrder: false }, params)
}

/** Indexes that begin with the parameter and have every column of the entry. */
const BY_PARAMETER: Readonly<Record<string, string>> = {
  string_index: 'string_by_value',
  token_index: 'token_by_value',
  uri_index: 'uri_by_value',
  range_index: 'range_by_low',
}

/** All entries of a parameter, where the only term is a comparison that no index serves; otherwise undefined. */
export function scanOf([term, ...others]: readonly Term[]): Source | undefined {
  const index = term?.op === 'entry' ? BY_PARAMETER[term.table] : undefined
  if (term?.op !== 'entry' || index === undefined || others.length > 0) return undefined
  return {
    from: sql`${raw(term.table)} AS d INDEXED BY ${raw(index)}`,
    where: and([sql`d.param = ${term.param}`, VISITED, term.matches(D)]),
    row: sql`d.row`,
    inRowOrder: false,
    distinct: false,
  }
}

export const setSource = (set: RowSet): Source => ({
  from: rowsIn(set),
  where: ALWAYS,
  row: sql`d.row`,
  inRowOrder: false,
  distinct: true,
})

/** The source of a comparison served by an index of the resources themselves. */
export const resourceSource = (scope: Scope, index: string, matches: Matches): Source => ({
  from: sql`resource AS d INDEXED BY ${raw(index)}`,
  where: and([sql`d.type = ${scope.type} AND d.live = 1`, VISITED, matches(D)]),
  row: sql`d.row`,
  inRowOrder: false,
  distinct: true,
})

export type Countable = Pick<Source, 'from' | 'where' | 'range' | 'rows'>

/** Most rows visited per row to be counted; a source that needs more is taken to be large. */
const VISITS_PER_ROW = 4

/** The number of rows of a source, counted up to `most`. A source built from others may count rows repeatedly. */
export function countUpTo(engine: Engine, { from, where, range = where, rows }: Countable, most: number): number {
  if (rows !== undefined) return Math.min(rows, most)
  const query = withSets(sql`SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE ${range} ${limitedTo(most)})`)
  return engine.db.visited.within(VISITS_PER_ROW * (most + 64), () => engine.db.number(query)) ?? most
}

export const isAtLeast = (engine: Engine, source: Countable, size: number): boolean =>
  countUpTo(engine, source, size) >= size

export const distinct = (source: Source): Sql => raw(source.distinct ? '' : 'DISTINCT')

const everyRowOf = ({ from, where, row }: Source): Sql => sql`SELECT ${row} AS row FROM ${from} WHERE ${where}`

/** Selects each row once, so that sources built from them are no larger than necessary. */
export const rowsOf = (source: Source): Sql => sql`SELECT ${distinct(source)} ${source.row} AS row
  FROM ${source.from} WHERE ${source.where}`

/** The resources that refer to the rows of `inner` by `param`. */
export const referring = (inner: Source, param: number): Source => ({
  from: sql`(${rowsOf(inner)}) AS t CROSS JOIN reference_index AS d INDEXED BY reference_by_target ON d.target = t.row`,
  where: sql`d.param = ${param} AND ${VISITED}`,
  row: sql`d.row`,
  inRowOrder: false,
  distinct: false,
})

/** The resources of the scope's type to which the rows of `inner` refer by `param`. */
export const referredTo = (inner: Source, param: number, scope: Scope): Source => ({
  from: sql`(${rowsOf(inner)}) AS t
    CROSS JOIN reference_index AS i NOT INDEXED ON i.row = t.row AND i.param = ${param} AND ${visited(raw('i.target'))}
    CROSS JOIN resource AS d ON d.row = i.target`,
  where: and([sql`d.type = ${scope.type}`, isThere(D, scope)]),
  row: sql`d.row`,
  inRowOrder: false,
  distinct: false,
})

/** The union of `sources`; undefined unless all of them are known. */
export function union(sources: readonly (Source | undefined)[]): Source | undefined {
  const known = sources.filter((source) => source !== undefined)
  const [only] = known
  if (only === undefined || known.length < sources.length || known.length > MAX_ALTERNATIVES) return undefined
  if (known.length === 1) return only
  const parts = known.map(everyRowOf)
  return {
    from: sql`(${joined(parts, ' UNION ALL ')}) AS d`,
    where: ALWAYS,
    row: sql`d.row`,
    inRowOrder: false,
    distinct: false,
  }
}
