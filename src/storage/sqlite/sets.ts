/**
 * Conditions on other resources as sets. `subject:Patient.name=x` can be tested for each Observation; or the Patients
 * with that name are found once, and each Observation is only looked up among them. The first is less work where few
 * resources are tested, or the first ones match; the second never visits an index row more than once for a condition,
 * whatever the references are.
 */
import { BudgetError } from '../../isolation/budget.ts'
import { accessPath, conjuncts, sizeOf } from './access-path.ts'
import { everyRow, narrowed, referredTo, rowsOf, type Source, scanOf } from './candidates.ts'
import type { Engine } from './engine.ts'
import { joined, type RowSet, type Sql, sql } from './sql.ts'
import type { ChainTerm, HasTerm, Scope, Term } from './term.ts'

/** True where `term` has a condition on another resource. */
export function hasReferences(term: Term): boolean {
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

/** Makes the sets of one search. A condition that occurs in several places of it is one set. */
export class SetBuilder {
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
