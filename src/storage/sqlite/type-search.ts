/** A search of one resource type, before any of its rows is read. */
import type { Condition, SortKey } from '../../search/plan.ts'
import { conjunctsOf } from '../conditions.ts'
import { type AccessPath, accessPath, decided, FIRST_COUNT, type Purpose } from './access-path.ts'
import { totalByBlocks } from './block-totals.ts'
import { countUpTo, distinct, entrySource, everyRow, narrowed, type Source } from './candidates.ts'
import { compile } from './compile.ts'
import type { Engine } from './engine.ts'
import { hasReferences, SetBuilder } from './sets.ts'
import { type Ordering, orderingOf } from './sort.ts'
import { limitedTo, raw, sql, withSets } from './sql.ts'
import { allOf, anyOf, type Scope, type Term } from './term.ts'

/** A search of one type, ready to produce pages. */
export interface TypeSearch {
  readonly scope: Scope
  readonly terms: readonly Term[]
  readonly orderings: readonly Ordering[]
  /** All resources of the type, each tested; built on first use. */
  readonly every: () => Source
  /** The index to start from; undefined: there is none. */
  readonly path: AccessPath | undefined
}

/** A search, with the two ways to evaluate conditions on other resources (sets.ts). */
export interface TypeSearches {
  /** The conditions are tested for each resource. */
  readonly byTests: TypeSearch
  /** The conditions are sets. Absent where there are none. */
  readonly bySets?: () => TypeSearch
}

/**
 * Rows that a search may visit before it is evaluated in the way that is linear in all cases: a few hundredths of a
 * second.
 */
export const fewVisits = ({ fewCandidates }: Engine): number => VISITS_PER_CANDIDATE * fewCandidates

const VISITS_PER_CANDIDATE = 12

/** The search for pages of `wanted` rows; undefined: nothing can match. */
export function typeSearches(
  engine: Engine,
  scope: Scope,
  where: readonly Condition[],
  sort: readonly SortKey[],
  wanted: number,
): TypeSearches | undefined {
  const terms = conjunctsOf(where).map((condition) => withoutEmpty(engine, compile(engine, scope, condition)))
  if (allOf(terms).op === 'never') return undefined
  const orderings = sort.map((key) => orderingOf(engine, scope, key))
  const purpose = { wanted, sorted: sort.length > 0 }
  const byTests = searchBy(engine, scope, terms, orderings, purpose)
  if (!terms.some(hasReferences)) return { byTests }
  let built: TypeSearch | undefined
  return {
    byTests,
    bySets: () => {
      built ??= searchBy(engine, scope, inSets(engine, scope, terms), orderings, purpose)
      return built
    },
  }
}

/** Most alternatives that are examined one by one. */
const MAX_LOOKED_AT = 6

/**
 * The term without alternatives that nothing fulfils, such as later words of names with this beginning: checking one is
 * a look into its index, and saves a test of each candidate.
 */
function withoutEmpty(engine: Engine, term: Term): Term {
  if (term.op !== 'any' || term.of.length > MAX_LOOKED_AT) return term
  return anyOf(term.of.map((part) => counted(engine, part)).filter((part) => part.op !== 'entry' || part.rows !== 0))
}

/**
 * Adds the number of rows, for a single range of an index, so that it need not be counted again for comparison with
 * others.
 */
function counted(engine: Engine, term: Term): Term {
  const source = term.op === 'entry' ? entrySource(term) : undefined
  if (term.op !== 'entry' || source?.range === undefined) return term
  const rows = countUpTo(engine, source, FIRST_COUNT)
  return rows < FIRST_COUNT ? { ...term, rows } : term
}

function inSets(engine: Engine, scope: Scope, terms: readonly Term[]): readonly Term[] {
  const sets = new SetBuilder(engine)
  return terms.map((term) => sets.term(scope, term))
}

const searchBy = (
  engine: Engine,
  scope: Scope,
  terms: readonly Term[],
  orderings: readonly Ordering[],
  purpose: Purpose,
): TypeSearch => ({
  scope,
  terms,
  orderings,
  every: () => narrowed(everyRow(scope), terms),
  path: accessPath(engine, scope, terms, purpose),
})

/** @param upTo least number of rows counted, where there are so many; Infinity: all of them */
export function countRows(engine: Engine, { byTests, bySets }: TypeSearches, upTo: number): number {
  const total = totalByBlocks(engine, byTests.scope, byTests.terms)
  if (total !== undefined) return total
  if (bySets === undefined) return countBy(engine, byTests, upTo)
  const few = decided(byTests.path)?.isFew
    ? engine.db.visited.within(fewVisits(engine), () => countBy(engine, byTests, upTo))
    : undefined
  return few ?? countBy(engine, bySets(), upTo)
}

function countBy(engine: Engine, { path, every }: TypeSearch, upTo: number): number {
  const source = decided(path)?.source ?? every()
  const limit = Number.isFinite(upTo) ? limitedTo(upTo) : NOTHING
  const rows = sql`SELECT ${distinct(source)} ${source.row} FROM ${source.from} WHERE ${source.where} ${limit}`
  return engine.db.number(withSets(sql`SELECT count(*) FROM (${rows})`))
}

const NOTHING = raw('')
