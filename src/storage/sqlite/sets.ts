/**
 * Conditions on other resources as sets. `subject:Patient.name=x` can be tested for each Observation, or the Patients that
 * have the name are found once, and each Observation is only looked up among them. The first is less work where few
 * resources are tested, or the first ones match; the second never visits a row of an index more than once for a condition,
 * whatever refers to what.
 */
import { accessPath, conjuncts } from './access-path.ts'
import { everyRow, narrowed, referredTo, rowsOf, type Source, scanOf } from './candidates.ts'
import type { Engine } from './engine.ts'
import { joined, type RowSet, type Sql } from './sql.ts'
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

/** Makes the sets of one search. What is the same condition in several places of it is one set. */
export class SetBuilder {
  readonly #engine: Engine
  readonly #sets = new Map<string, RowSet>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The same term, whose conditions on other resources are sets. `scope` is of what it is a term of. */
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
    const rows = targets.map(({ scope, where }) => rowsOf(this.#matches(scope, where)))
    return { op, param, targets, among: this.#set(joined(rows, ' UNION ALL ')) }
  }

  #has(scope: Scope, { op, param, scope: source, where: all }: HasTerm): Term {
    const where = this.term(source, all)
    const among = this.#set(rowsOf(referredTo(this.#matches(source, where), param, scope)))
    return { op, param, scope: source, where, among }
  }

  /** Every resource of `scope` that fulfils `where`. */
  #matches(scope: Scope, where: Term): Source {
    const terms = conjuncts(where)
    return accessPath(this.#engine, scope, terms)?.source ?? scanOf(terms) ?? narrowed(everyRow(scope), terms)
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
