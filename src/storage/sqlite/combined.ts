/**
 * Combined indexes, for the most frequent searches of a type: two equalities and a range in one key. Their rows, and the
 * start of a search by one seek in them.
 */
import type { CombinedIndex } from '../../search/plan.ts'
import { nameOfCombined } from '../index/search-index.ts'
import type { Candidate, Source } from './candidates.ts'
import type { Engine } from './engine.ts'
import type { IndexRow, IndexRows, IndexTable } from './index-entries.ts'
import { and, isOneOf, raw, type SqlValue, sql, visited } from './sql.ts'
import type { Scope, Term } from './term.ts'

/** The sources of the value of an `equal` parameter: the code of a token, or the row of a referenced resource. */
const EQUAL_VALUES = [
  { kind: 'token', table: 'token_index', column: 'code' },
  { kind: 'reference', table: 'reference_index', column: 'target' },
] as const

/** The rows of combined_index that follow from the other rows of one resource. */
export function combinedRows(engine: Engine, type: number, typeName: string, rows: IndexRows): readonly IndexRow[] {
  return engine.combined
    .filter((declared) => declared.type === typeName)
    .flatMap((declared) => crossProduct(engine, type, declared, rows))
}

function crossProduct(engine: Engine, type: number, declared: CombinedIndex, rows: IndexRows): readonly IndexRow[] {
  const range = engine.names.param(type, 'date', declared.range)
  const ranges = rowsOf(rows, 'range_index', range)
  if (ranges.length === 0) return []
  const param = engine.names.internParam(type, 'combined', nameOfCombined(declared))
  const [firsts, seconds] = [equalValues(engine, declared.equal[0], rows), equalValues(engine, declared.equal[1], rows)]
  return firsts.flatMap((first) =>
    seconds.flatMap((second) =>
      ranges.map(([, low, high]): IndexRow => [param, first, second, low ?? null, high ?? null]),
    ),
  )
}

function equalValues({ names }: Engine, code: string | undefined, rows: IndexRows): readonly SqlValue[] {
  if (code === undefined) return [0]
  const all = EQUAL_VALUES.flatMap(({ table }) => rows.get(table) ?? [])
  const found = all.filter(([param]) => names.textOf(param) === code)
  return [...new Set(found.map(([, value]) => value ?? null))]
}

const rowsOf = (rows: IndexRows, table: IndexTable, param: number | undefined): readonly IndexRow[] =>
  param === undefined ? [] : (rows.get(table)?.filter((row) => row[0] === param) ?? [])

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
