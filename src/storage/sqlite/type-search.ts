/** A search of one resource type, before any of its rows is read. */

import { BudgetError } from '../../isolation/budget.ts'
import type { Condition, SortKey } from '../../search/plan.ts'
import { conjunctsOf } from '../conditions.ts'
import { type AccessPath, accessPath, conjuncts, decided, FIRST_COUNT, type Purpose, sizeOf } from './access-path.ts'
import { totalByBlocks } from './block-counts.ts'
import {
  countUpTo,
  distinct,
  entrySource,
  everyRow,
  narrowed,
  referredTo,
  rowsOf,
  type Source,
  scanOf,
} from './candidates.ts'
import { compile } from './compile.ts'
import type { Engine } from './engine.ts'
import { type Ordering, orderingOf } from './sort.ts'
import { joined, limitedTo, type RowSet, raw, type Sql, sql, withSets } from './sql.ts'
import { allOf, anyOf, type ChainTerm, type HasTerm, type Scope, type Term } from './term.ts'

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

/** A search, with the two ways to evaluate conditions on other resources (SetBuilder). */
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

/** True where `term` has a condition on another resource. */
function hasReferences(term: Term): boolean {
  switch (term.op) {
    case 'any':
    case 'all':
      return term.of.some(hasReferences)
    case 'not':
      return hasReferences(term.of)
    case 'chain':
    case 'has':
      return true
    case 'always':
    case 'never':
    case 'entry':
    case 'resource':
    case 'sorted':
      return false
  }
}

/** Most rows that the sets of a search may visit together: more would take about as long as a request may. */
const MOST_VISITS = 8_000_000

/**
 * Makes the sets of one search: conditions on other resources as sets. `subject:Patient.name=x` can be tested for each
 * Observation; or the Patients with that name are found once, and each Observation is only looked up among them. The
 * first is less work where few resources are tested, or the first ones match; the second never visits an index row more
 * than once for a condition, whatever the references are. A condition that occurs in several places is one set.
 */
class SetBuilder {
  readonly #engine: Engine
  readonly #sets = new Map<string, RowSet>()
  #visitsLeft: number

  /** @param mostVisits set by tests only */
  constructor(engine: Engine, mostVisits = MOST_VISITS) {
    this.#engine = engine
    this.#visitsLeft = mostVisits
  }

  /**
   * The same term, with conditions on other resources as sets. `scope` is the scope of the term.
   * @throws BudgetError when the sets are estimated to visit too many rows
   */
  term(scope: Scope, term: Term): Term {
    switch (term.op) {
      case 'any':
      case 'all':
        return { op: term.op, of: term.of.map((part) => this.term(scope, part)) }
      case 'not':
        return { op: 'not', of: this.term(scope, term.of) }
      case 'chain':
        return this.#chain(term)
      case 'has':
        return this.#has(scope, term)
      case 'always':
      case 'never':
      case 'entry':
      case 'resource':
      case 'sorted':
        return term
    }
  }

  #chain({ op, param, targets: all }: ChainTerm): Term {
    const targets = all.map(({ scope, where }) => ({ scope, where: this.term(scope, where) }))
    const rows = targets.map(({ scope, where }) => rowsOf(this.#matches(scope, where, param)))
    return { op, param, targets, among: this.#set(joined(rows, ' UNION ALL ')) }
  }

  #has(scope: Scope, { op, param, scope: source, where: all }: HasTerm): Term {
    const where = this.term(source, all)
    const among = this.#set(rowsOf(referredTo(this.#matches(source, where, param), param, scope)))
    return { op, param, scope: source, where, among }
  }

  /** Every resource of `scope` that fulfils `where`. `param` is the reference that leads to or from them. */
  #matches(scope: Scope, where: Term, param: number): Source {
    const terms = conjuncts(where)
    const path = accessPath(this.#engine, scope, terms)
    if (!path?.isFew) this.#payFor(scope, terms, param)
    return path?.source ?? scanOf(terms) ?? narrowed(everyRow(scope), terms)
  }

  /**
   * Charges for testing every resource of a type. Its rough size costs nothing; the exact one is counted only where
   * that decides.
   */
  #payFor(scope: Scope, terms: readonly Term[], param: number): void {
    const tests = 1 + terms.reduce((sum, term) => sum + testsIn(term), 0)
    const rough = tests * sizeOf(this.#engine, scope)
    const visits = rough <= this.#visitsLeft ? rough : tests * this.#count(scope)
    this.#visitsLeft -= visits
    if (this.#visitsLeft >= 0) return
    const reference = `'${this.#engine.names.textOf(param)}'`
    throw new BudgetError(
      'too costly',
      `its condition on ${scope.typeName} by the reference ${reference}, for which about ${visits} values are compared: ` +
        `a condition that few ${scope.typeName} resources fulfil (an identifier, a date, _id) beside it makes it cheaper`,
    )
  }

  #count(scope: Scope): number {
    const { from, where } = everyRow(scope)
    return this.#engine.db.number(sql`SELECT count(*) FROM ${from} WHERE ${where}`)
  }

  #set(rows: Sql): RowSet {
    const key = JSON.stringify([rows.text, rows.values])
    const known = this.#sets.get(key)
    if (known !== undefined) return known
    const set = { name: `set${this.#sets.size}`, rows }
    this.#sets.set(key, set)
    return set
  }
}

/** The number of comparisons of one resource with `term`; an existing set takes one look-up. */
function testsIn(term: Term): number {
  switch (term.op) {
    case 'any':
    case 'all':
      return term.of.reduce((sum, part) => sum + testsIn(part), 0)
    case 'not':
      return testsIn(term.of)
    case 'always':
    case 'never':
    case 'entry':
    case 'resource':
    case 'sorted':
    case 'chain':
    case 'has':
      return 1
  }
}
