/** Where a search starts: the index that enumerates candidate rows, chosen by what the data say, not by statistics. */
import { combinedName } from './combined.ts'
import type { Scope, Term } from './compile.ts'
import type { Engine } from './engine.ts'
import { probe } from './probe.ts'
import { ALWAYS, and, isOneOf, joined, raw, type Sql, sql } from './sql.ts'

/** Rows as a FROM and a WHERE clause; every row is a live resource of the scope's type. */
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
interface Candidate {
  readonly source: Source
  readonly rest: readonly Term[]
}

/** Below this nobody asks for a better candidate. */
const VERY_FEW = 64

const MOST_ALTERNATIVES = 32
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
  where: and([source.where, ...terms.map((term) => probe(term, source.row))]),
})

/**
 * The best source for rows that fulfil all of `terms`, with `few` telling whether it is known to give few
 * candidates. undefined: only a walk over the whole type finds them.
 */
export function bestSource(
  engine: Engine,
  scope: Scope,
  terms: readonly Term[],
): { readonly source: Source; readonly few: boolean } | undefined {
  const combined = combinedCandidate(engine, scope, terms)
  if (combined !== undefined) return { source: finished(combined), few: true }
  const candidates = terms.flatMap((term, index): Candidate[] => {
    const source = sourceOf(engine, scope, term)
    return source === undefined ? [] : [{ source, rest: terms.toSpliced(index, 1) }]
  })
  for (const limit of [Math.min(VERY_FEW, engine.fewCandidates), engine.fewCandidates]) {
    const smallest = smallestBelow(engine, candidates, limit)
    if (smallest !== undefined) return { source: finished(smallest), few: true }
  }
  const fallback = candidates.find(({ source }) => source.inRowOrder) ?? candidates[0]
  return fallback === undefined ? undefined : { source: finished(fallback), few: false }
}

const finished = ({ source, rest }: Candidate): Source => narrowed(source, rest)

/** Counts no more rows of a candidate than it takes to know. */
function smallestBelow(engine: Engine, candidates: readonly Candidate[], limit: number): Candidate | undefined {
  let smallest: Candidate | undefined
  let fewest = limit
  for (const candidate of candidates) {
    const { from, where } = candidate.source
    const size = engine.db.number(sql`SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE ${where} LIMIT ${fewest})`)
    if (size < fewest) [smallest, fewest] = [candidate, size]
    if (fewest === 0) break
  }
  return smallest
}

/** The rows that fulfil one term, straight from an index; undefined where no index has them. */
function sourceOf(engine: Engine, scope: Scope, term: Term): Source | undefined {
  switch (term.op) {
    case 'entry':
      if (term.index === undefined) return undefined
      return {
        from: sql`${raw(term.table)} AS d INDEXED BY ${raw(term.index)}`,
        where: and([sql`d.param = ${term.param}`, term.matches(D)]),
        row: sql`d.row`,
        inRowOrder: term.inRowOrder,
        distinct: false,
      }
    case 'resource':
      return {
        from: sql`resource AS d INDEXED BY ${raw(term.index)}`,
        where: and([sql`d.type = ${scope.type} AND d.live = 1`, term.matches(D)]),
        row: sql`d.row`,
        inRowOrder: false,
        distinct: true,
      }
    case 'all':
      return bestSource(engine, scope, term.of)?.source
    case 'any':
      return union(term.of.map((part) => sourceOf(engine, scope, part)))
    case 'chain':
      return union(
        term.targets.map((target) => {
          const inner = bestSource(engine, target.scope, [target.where])
          return inner && referring(inner.source, term.param)
        }),
      )
    case 'has': {
      const inner = bestSource(engine, term.scope, [term.where])
      return inner && referredTo(inner.source, term.param, scope)
    }
    case 'never':
    case 'always':
    case 'not':
      return undefined
  }
}

const rowsOf = ({ from, where, row }: Source): Sql => sql`SELECT ${row} AS row FROM ${from} WHERE ${where}`

/** What points to the rows of `inner` by `param`. */
const referring = (inner: Source, param: number): Source => ({
  from: sql`(${rowsOf(inner)}) AS t CROSS JOIN reference_index AS d INDEXED BY reference_by_target ON d.target = t.row`,
  where: sql`d.param = ${param}`,
  row: sql`d.row`,
  inRowOrder: false,
  distinct: false,
})

/** What the rows of `inner` point to by `param`, as far as it is of the scope's type. */
const referredTo = (inner: Source, param: number, scope: Scope): Source => ({
  from: sql`(${rowsOf(inner)}) AS t
    CROSS JOIN reference_index AS i NOT INDEXED ON i.row = t.row AND i.param = ${param}
    CROSS JOIN resource AS d ON d.row = i.target`,
  where: sql`d.type = ${scope.type} AND d.live = 1`,
  row: sql`d.row`,
  inRowOrder: false,
  distinct: false,
})

function union(sources: readonly (Source | undefined)[]): Source | undefined {
  const known = sources.filter((source) => source !== undefined)
  const [only] = known
  if (only === undefined || known.length < sources.length || known.length > MOST_ALTERNATIVES) return undefined
  if (known.length === 1) return only
  const parts = known.map(rowsOf)
  return {
    from: sql`(${joined(parts, ' UNION ')}) AS d`,
    where: ALWAYS,
    row: sql`d.row`,
    inRowOrder: false,
    distinct: true,
  }
}

/** A declared combined index serves when every one of its parameters is compared. */
function combinedCandidate(engine: Engine, scope: Scope, terms: readonly Term[]): Candidate | undefined {
  for (const declared of engine.combined) {
    if (declared.type !== scope.typeName) continue
    const [first, second] = declared.equal.map((code) => equalTerm(engine, scope, terms, code))
    const rangeParam = engine.names.param(scope.type, 'date', declared.range)
    const range = terms.find((term) => term.op === 'entry' && term.param === rangeParam)
    const param = engine.names.param(scope.type, 'combined', combinedName(declared))
    const complete = declared.equal.length === 1 || second !== undefined
    if (first === undefined || !complete || range?.op !== 'entry' || param === undefined) continue
    const single = first.values.length === 1 && (second?.values.length ?? 1) === 1
    const unique = single && !engine.names.factsOf(range.param).repeated
    const source: Source = {
      from: sql`combined_index AS d`,
      where: and([
        sql`d.param = ${param}`,
        isOneOf(sql`d.first`, first.values),
        second === undefined ? sql`d.second = 0` : isOneOf(sql`d.second`, second.values),
        range.matches(D),
      ]),
      row: sql`d.row`,
      inRowOrder: false,
      distinct: unique,
      ...(unique ? { byRangeOf: range.param } : {}),
    }
    const fulfilled: ReadonlySet<Term> = new Set([first, second].flatMap((use) => (use?.exactly ? [use.term] : [])))
    return { source, rest: terms.filter((term) => term !== range && !fulfilled.has(term)) }
  }
  return undefined
}

function equalTerm(engine: Engine, scope: Scope, terms: readonly Term[], code: string) {
  const params = [engine.names.param(scope.type, 'token', code), engine.names.param(scope.type, 'reference', code)]
  for (const term of terms) {
    if (term.op === 'entry' && term.equals !== undefined && params.includes(term.param)) return { term, ...term.equals }
  }
  return undefined
}
