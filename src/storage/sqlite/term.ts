/**
 * A compiled condition, a term: tables, parameter numbers and comparisons; as a test of one row in SQL; and sources of the
 * rows that fulfil it.
 */
import type { Engine } from './engine.ts'
import {
  and,
  NEVER as FALSE,
  isIn,
  not,
  or,
  type RowSet,
  raw,
  type Sql,
  type SqlValue,
  sql,
  ALWAYS as TRUE,
  visited,
} from './sql.ts'

/** One resource type of one clinic. */
export interface Scope {
  readonly clinic: number
  readonly type: number
  readonly typeName: string
}

/** A test that the row `alias` exists: a live resource, or an external address to which canonicals refer. */
export const isThere = (alias: Sql, { typeName }: Scope): Sql =>
  typeName === ADDRESSES ? TRUE : sql`${alias}.live = 1`

/** The type of references to external addresses. */
export const ADDRESSES = ''

export type Term =
  | { readonly op: 'always' | 'never' }
  | { readonly op: 'any' | 'all'; readonly of: readonly Term[] }
  | { readonly op: 'not'; readonly of: Term }
  | EntryTerm
  /** A comparison on the resource's own row. */
  | { readonly op: 'resource'; readonly index: string; readonly matches: Matches }
  /** The resource has this sort value, or none (null). */
  | { readonly op: 'sorted'; readonly value: (row: Sql) => Sql; readonly equals: SqlValue }
  | ChainTerm
  | HasTerm

/** A comparison on the columns of the row that `alias` names. */
export type Matches = (alias: Sql) => Sql

/** The resource refers by `param` to one of `targets`. */
export interface ChainTerm {
  readonly op: 'chain'
  readonly param: number
  readonly targets: readonly ChainTarget[]
  /** The resources that fulfil one of `targets`; absent: each referenced resource is tested. */
  readonly among?: RowSet
}

/** A resource of `scope` that fulfils `where` refers to this one by `param`. */
export interface HasTerm {
  readonly op: 'has'
  readonly scope: Scope
  readonly param: number
  readonly where: Term
  /** The resources that fulfil the term; absent: each referring resource is tested. */
  readonly among?: RowSet
}

export interface ChainTarget {
  readonly scope: Scope
  readonly where: Term
}

/** The resource has an index row of `param` that matches. */
export interface EntryTerm {
  readonly op: 'entry'
  readonly table: string
  /** The index by value that finds matching rows; absent where there is none. */
  readonly index?: string
  /** A source of matching rows, where it is more than an index by value. */
  readonly source?: Source
  readonly param: number
  readonly matches: Matches
  /** Terms of the same index with the same text here make the same comparison, whatever the parameter. */
  readonly comparison?: string
  /** True when the index returns the rows in the order of resource rows. */
  readonly inRowOrder: boolean
  /** Set where the term means: equal to one of these values; `exactly` when nothing else is compared. */
  readonly equals?: { readonly values: readonly SqlValue[]; readonly exactly: boolean }
  /** Set where resources are counted by the value (block-counts.ts): any value at all, or codes. */
  readonly counted?:
    | { readonly by: 'presence' }
    | { readonly by: 'codes'; readonly codes: readonly string[]; readonly system: number | undefined }
  /** The number of entries that fulfil it, where they have been counted. */
  readonly rows?: number
}

export function scopeOf(engine: Engine, clinicName: string, typeName: string): Scope | undefined {
  const clinic = engine.names.clinic(clinicName)
  const type = clinic === undefined ? undefined : engine.names.find(clinic, typeName)
  return clinic === undefined || type === undefined ? undefined : { clinic, type, typeName }
}

export const NEVER: Term = { op: 'never' }
const ALWAYS: Term = { op: 'always' }

/** Simplified, so that `never` and `always` stand alone or not at all. */
export function anyOf(terms: readonly Term[]): Term {
  if (terms.some(({ op }) => op === 'always')) return ALWAYS
  return oneOrMany('any', terms, NEVER)
}

export function allOf(terms: readonly Term[]): Term {
  if (terms.some(({ op }) => op === 'never')) return NEVER
  return oneOrMany('all', terms, ALWAYS)
}

function oneOrMany(op: 'any' | 'all', terms: readonly Term[], neutral: Term): Term {
  const of = terms.filter((term) => term.op !== neutral.op)
  const [first] = of
  if (first === undefined) return neutral
  return of.length === 1 ? first : { op, of }
}

export function notOf(term: Term): Term {
  if (term.op === 'never') return ALWAYS
  return term.op === 'always' ? NEVER : { op: 'not', of: term }
}

/** A source of rows, each a live resource of one type of one clinic. */
export interface Source {
  readonly from: Sql
  readonly where: Sql
  readonly row: Sql
  /** True when the index returns the rows in ascending order. */
  readonly inRowOrder: boolean
  /** True when no row comes twice. */
  readonly distinct: boolean
  /** Replaces `where` for counting, where an index has little but these rows, so that visits need not be counted. */
  readonly range?: Sql
  /** The number of rows of `range`, where they have been counted. */
  readonly rows?: number
  /** Set when the rows come in the order of this date parameter's lowest entry, whose bounds are `low` and `high`. */
  readonly byRangeOf?: number
}

/** Parameters for reading an index in slices (readSlices). */
export interface Slices {
  /** The condition on the index, without the test that counts visited rows. */
  readonly range: Sql
  /** The columns needed by tests of a row, all of them columns of the index. */
  readonly columns: readonly string[]
  /** The column by which it is ordered, before the row; absent: by the row alone. */
  readonly column?: string
}

/**
 * A test that the resource of `row` (an expression) fulfils `term`: EXISTS on its index rows, which lie side by side.
 * `depth` keeps nested aliases apart.
 */
export function exists(term: Term, row: Sql, depth = 0): Sql {
  switch (term.op) {
    case 'always':
      return TRUE
    case 'never':
      return FALSE
    case 'any':
      return or(oneForEachParameter(term.of).map((part) => exists(part, row, depth)))
    case 'all':
      return and(term.of.map((part) => exists(part, row, depth)))
    case 'not':
      return not(exists(term.of, row, depth))
    case 'entry':
      return entryExists(term, row, depth)
    case 'resource': {
      const x = alias(depth)
      return sql`EXISTS (SELECT 1 FROM resource AS ${x} WHERE ${x}.row = ${row} AND ${term.matches(x)})`
    }
    case 'sorted':
      return sql`${term.value(row)} IS ${term.equals}`
    case 'chain':
      return chainExists(term, row, depth)
    case 'has':
      return hasExists(term, row, depth)
  }
}

/** Merges alternatives on entries of the same parameter into one term, so that these entries are read once. */
function oneForEachParameter(terms: readonly Term[]): readonly Term[] {
  const groups = Map.groupBy(terms, (term) => (term.op === 'entry' ? `${term.table} ${term.param}` : term))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first?.op !== 'entry' || group.length === 1) return group
    const entries = group.filter((term) => term.op === 'entry')
    return [{ ...first, matches: (x: Sql) => or(entries.map(({ matches }) => matches(x))) }]
  })
}

function chainExists({ param, targets, among }: ChainTerm, row: Sql, depth: number): Sql {
  const [x, target] = [alias(depth), alias(depth + 1)]
  const own = sql`${x}.row = ${row} AND ${x}.param = ${param} AND ${visited(sql`${x}.target`)}`
  if (among !== undefined) {
    return sql`EXISTS (SELECT 1 FROM reference_index AS ${x} NOT INDEXED WHERE ${own} AND ${isIn(sql`${x}.target`, among)})`
  }
  const holds = or(
    targets.map(({ scope, where }) =>
      and([sql`${target}.type = ${scope.type}`, isThere(target, scope), exists(where, sql`${target}.row`, depth + 2)]),
    ),
  )
  return sql`EXISTS (SELECT 1
    FROM reference_index AS ${x} NOT INDEXED CROSS JOIN resource AS ${target} ON ${target}.row = ${x}.target
    WHERE ${own} AND ${holds})`
}

function hasExists({ param, where, among }: HasTerm, row: Sql, depth: number): Sql {
  if (among !== undefined) return isIn(row, among)
  const x = alias(depth)
  return sql`EXISTS (SELECT 1 FROM reference_index AS ${x} INDEXED BY reference_by_target
    WHERE ${x}.target = ${row} AND ${x}.param = ${param} AND ${visited(sql`${x}.row`)}
      AND ${exists(where, sql`${x}.row`, depth + 1)})`
}

/**
 * Tests the entries of one resource. Unary plus keeps SQLite from an index by value, which it would otherwise prefer to
 * the few rows of the resource. The entries of a candidate are read once; those of referenced resources may be read for
 * each candidate, so they are counted.
 */
function entryExists(term: EntryTerm, row: Sql, depth: number): Sql {
  const x = alias(depth)
  const own = sql`${x}.row = ${row} AND ${x}.param = ${term.param}`
  const matches = term.matches(raw(`+x${depth}`))
  return sql`EXISTS (SELECT 1 FROM ${raw(term.table)} AS ${x} NOT INDEXED
    WHERE ${and([own, depth === 0 ? TRUE : visited(sql`${x}.row`), matches])})`
}

const alias = (depth: number): Sql => raw(`x${depth}`)
