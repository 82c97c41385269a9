/** A search of one resource type, before any of its rows is read. */
import type { Condition, SortKey } from '../../search/plan.ts'
import { type AccessPath, accessPath } from './access-path.ts'
import { distinct, everyRow, narrowed, type Source } from './candidates.ts'
import { compile } from './compile.ts'
import type { Engine } from './engine.ts'
import { type Ordering, orderingOf } from './sort.ts'
import { sql } from './sql.ts'
import { allOf, type Scope, type Term } from './term.ts'

/** A search of one type, ready to give pages. */
export interface TypeSearch {
  readonly scope: Scope
  readonly terms: readonly Term[]
  readonly orderings: readonly Ordering[]
  /** All resources of the type, each tested. */
  readonly every: Source
  /** The index to start from; undefined: there is none. */
  readonly path: AccessPath | undefined
}

/** For pages of `wanted` rows; undefined: nothing can match. */
export function typeSearch(
  engine: Engine,
  scope: Scope,
  where: readonly Condition[],
  sort: readonly SortKey[],
  wanted: number,
): TypeSearch | undefined {
  const terms = flattened(where).map((condition) => compile(engine, scope, condition))
  if (allOf(terms).op === 'never') return undefined
  return {
    scope,
    terms,
    orderings: sort.map((key) => orderingOf(engine, scope, key)),
    every: narrowed(everyRow(scope), terms),
    path: accessPath(engine, scope, terms, { wanted, sorted: sort.length > 0 }),
  }
}

const flattened = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.flatMap((condition) => (condition.kind === 'all' ? flattened(condition.of) : [condition]))

export function countRows(engine: Engine, { path, every }: TypeSearch): number {
  const source = path?.source ?? every
  const rows = sql`SELECT ${distinct(source)} ${source.row} FROM ${source.from} WHERE ${source.where}`
  return engine.db.number(sql`SELECT count(*) FROM (${rows})`)
}
