/** Candidate rows of a search as a FROM and a WHERE clause, and how such sources are built from one another. */
import type { Engine } from './engine.ts'
import { exists } from './exists.ts'
import { ALWAYS, and, joined, limitedTo, raw, type Sql, sql } from './sql.ts'
import type { EntryTerm, Matches, Scope, Term } from './term.ts'

/** Every row is a live resource of one type of one clinic. */
export interface Source {
  readonly from: Sql
  readonly where: Sql
  readonly row: Sql
  /** The index gives the rows in ascending order. */
  readonly inRowOrder: boolean
  /** No row comes twice. */
  readonly distinct: boolean
  /** Set when the rows come in the order of this date parameter's lowest entry, whose bounds are `low` and `high`. */
  readonly byRangeOf?: number
}

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

/** Every live resource of the type, in row order. */
export const everyRow = (scope: Scope): Source => ({
  from: sql`resource AS d INDEXED BY resource_by_row`,
  where: sql`d.type = ${scope.type} AND d.live = 1`,
  row: sql`d.row`,
  inRowOrder: true,
  distinct: true,
})

/** `source` narrowed to rows that fulfil `terms` too. */
export const narrowed = (source: Source, terms: readonly Term[]): Source => ({
  ...source,
  where: and([source.where, ...terms.map((term) => exists(term, source.row))]),
})

/** From an index by value; undefined where the term has none. */
export function entrySource(term: EntryTerm): Source | undefined {
  if (term.index === undefined) return term.source
  return {
    from: sql`${raw(term.table)} AS d INDEXED BY ${raw(term.index)}`,
    where: and([sql`d.param = ${term.param}`, term.matches(D)]),
    row: sql`d.row`,
    inRowOrder: term.inRowOrder,
    distinct: false,
  }
}

/** From an index of the resources themselves. */
export const resourceSource = (scope: Scope, index: string, matches: Matches): Source => ({
  from: sql`resource AS d INDEXED BY ${raw(index)}`,
  where: and([sql`d.type = ${scope.type} AND d.live = 1`, matches(D)]),
  row: sql`d.row`,
  inRowOrder: false,
  distinct: true,
})

/** Counts no further than `size`. */
export const isAtLeast = (engine: Engine, { from, where }: Pick<Source, 'from' | 'where'>, size: number): boolean =>
  engine.db.number(sql`SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE ${where} ${limitedTo(size)})`) >= size

export const distinct = (source: Source): Sql => raw(source.distinct ? '' : 'DISTINCT')

const rowsOf = ({ from, where, row }: Source): Sql => sql`SELECT ${row} AS row FROM ${from} WHERE ${where}`

/** What points to the rows of `inner` by `param`. */
export const referring = (inner: Source, param: number): Source => ({
  from: sql`(${rowsOf(inner)}) AS t CROSS JOIN reference_index AS d INDEXED BY reference_by_target ON d.target = t.row`,
  where: sql`d.param = ${param}`,
  row: sql`d.row`,
  inRowOrder: false,
  distinct: false,
})

/** What the rows of `inner` point to by `param`, as far as it is of the scope's type. */
export const referredTo = (inner: Source, param: number, scope: Scope): Source => ({
  from: sql`(${rowsOf(inner)}) AS t
    CROSS JOIN reference_index AS i NOT INDEXED ON i.row = t.row AND i.param = ${param}
    CROSS JOIN resource AS d ON d.row = i.target`,
  where: sql`d.type = ${scope.type} AND d.live = 1`,
  row: sql`d.row`,
  inRowOrder: false,
  distinct: false,
})

/** undefined unless all of them are known. */
export function union(sources: readonly (Source | undefined)[]): Source | undefined {
  const known = sources.filter((source) => source !== undefined)
  const [only] = known
  if (only === undefined || known.length < sources.length || known.length > MAX_ALTERNATIVES) return undefined
  if (known.length === 1) return only
  const parts = known.map(rowsOf)
  return {
    from: sql`(${joined(parts, ' UNION ALL ')}) AS d`,
    where: ALWAYS,
    row: sql`d.row`,
    inRowOrder: false,
    distinct: false,
  }
}
