/** A declared combined index as the start of a search: two equalities and a range in one seek. */
import type { CombinedIndex } from '../../search/plan.ts'
import { nameOfCombined } from '../index/index-parts.ts'
import type { Candidate, Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import { and, isOneOf, raw, sql, visited } from './sql.ts'
import type { Scope, Term } from './term.ts'

/** The first declared combined index all of whose parameters are compared. */
export function combinedCandidate(engine: Engine, scope: Scope, terms: readonly Term[]): Candidate | undefined {
  for (const declared of engine.index.combined) {
    const candidate = declared.type === scope.typeName ? candidateOf(engine, scope, terms, declared) : undefined
    if (candidate !== undefined) return candidate
  }
  return undefined
}

/** undefined where a parameter is not compared, or has no rows. */
function candidateOf(
  engine: Engine,
  scope: Scope,
  terms: readonly Term[],
  declared: CombinedIndex,
): Candidate | undefined {
  const [first, second] = declared.equal.map((code) => equalTerm(engine, scope, terms, code))
  const rangeParam = engine.names.param(scope.type, 'date', declared.range)
  const range = terms.find((term) => term.op === 'entry' && term.param === rangeParam)
  const param = engine.names.param(scope.type, 'combined', nameOfCombined(declared))
  const isComplete = declared.equal.length === 1 || second !== undefined
  if (first === undefined || !isComplete || range?.op !== 'entry' || param === undefined) return undefined
  const isSingle = first.values.length === 1 && (second?.values.length ?? 1) === 1
  const isUnique = isSingle && !engine.names.factsOf(range.param).repeated
  const source: Source = {
    from: sql`combined_index AS d`,
    where: and([
      sql`d.param = ${param}`,
      isOneOf(sql`d.first`, first.values),
      second === undefined ? sql`d.second = 0` : isOneOf(sql`d.second`, second.values),
      visited(raw('d.row')),
      range.matches(raw('d')),
    ]),
    row: sql`d.row`,
    inRowOrder: false,
    distinct: isUnique,
    ...(isUnique ? { byRangeOf: range.param } : {}),
  }
  const fulfilled: ReadonlySet<Term> = new Set([first, second].flatMap((use) => (use?.exactly ? [use.term] : [])))
  return { source, rest: terms.filter((term) => term !== range && !fulfilled.has(term)), isDerived: false }
}

function equalTerm(engine: Engine, scope: Scope, terms: readonly Term[], code: string) {
  const params = [engine.names.param(scope.type, 'token', code), engine.names.param(scope.type, 'reference', code)]
  for (const term of terms) {
    if (term.op === 'entry' && term.equals !== undefined && params.includes(term.param)) return { term, ...term.equals }
  }
  return undefined
}
