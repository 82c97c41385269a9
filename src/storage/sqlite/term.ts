/** A compiled condition: tables, parameter numbers and comparisons, but no SQL statements yet. */
import type { Engine } from './engine.ts'
import type { Source } from './source.ts'
import { type RowSet, type Sql, type SqlValue, sql, ALWAYS as TRUE } from './sql.ts'

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
