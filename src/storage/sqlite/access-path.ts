/** The start of a search: the index that enumerates candidate rows, chosen by counting them, not by statistics. */

import { lackingSource } from './block-counts.ts'
import {
  type Candidate,
  type Countable,
  countUpTo,
  entrySource,
  isAtLeast,
  narrowed,
  referredTo,
  referring,
  resourceSource,
  type Source,
  setSource,
  sharedSource,
  union,
} from './candidates.ts'
import { combinedCandidate } from './combined.ts'
import type { Engine } from './engine.ts'
import { raw, sql } from './sql.ts'
import { ADDRESSES, type Scope, type Term } from './term.ts'

export interface AccessPath {
  readonly source: Source
  /**
   * True when collecting all its rows is less work than scanning the resources in the requested order until there are
   * enough.
   */
  readonly isFew: boolean
  /** Set where `isFew` is not known yet, because the rows were not counted to the end. */
  readonly undecided?: { readonly counted: Countable; readonly most: number }
  /** Set where each index is only known to have some rows: counts them to the end, once. */
  readonly decide?: () => AccessPath
}

/** Most rows counted before anything else is tried. */
export const FIRST_COUNT = 256

/** The path after its candidates have been counted as far as necessary. */
export const decided = (path: AccessPath | undefined): AccessPath | undefined => path?.decide?.() ?? path

/** True when the candidates turn out to be few. Called when a scan takes long. */
export const isFewAfterAll = (engine: Engine, { undecided }: AccessPath): boolean =>
  undecided !== undefined && !isAtLeast(engine, undecided.counted, undecided.most)

/** The purpose of the rows. */
export interface Purpose {
  /** Number of rows wanted; Infinity for all. */
  readonly wanted: number
  /** In an order other than that of rows. */
  readonly sorted: boolean
}

const ALL_ROWS: Purpose = { wanted: Number.POSITIVE_INFINITY, sorted: false }

/** Below so many candidates they are simply collected; with more, a scan may fill the page before they are counted. */
const SOME = 64

/** Successive limits up to which candidates are counted, until one is smaller. */
const STEPS = [64, 512]

/** The best source of rows that fulfil all of `terms`; undefined: no index finds them, so every resource is tested. */
export function accessPath(
  engine: Engine,
  scope: Scope,
  terms: readonly Term[],
  purpose: Purpose = ALL_ROWS,
): AccessPath | undefined {
  const combined = combinedCandidate(engine, scope, terms)
  if (combined !== undefined) return { source: finished(combined), isFew: true }
  const candidates = candidatesFor(engine, scope, terms)
  const lacking = lackingOf(engine, scope, terms)
  if (lacking !== undefined) {
    const smallest = smallestOf(engine, candidates, FIRST_COUNT)
    return { source: smallest === undefined ? lacking : finished(uncounted(smallest)), isFew: true }
  }
  const [first] = candidates
  if (first === undefined) return undefined
  // There is no other candidate, and all rows are wanted, or some in the order of the source.
  const isTaken = purpose === ALL_ROWS || (first.source.inRowOrder && !purpose.sorted)
  if (candidates.length === 1 && isTaken) return { source: finished(first), isFew: false }
  return terms.length > 1
    ? bySeveral(engine, candidates, first, purpose)
    : byOne(engine, first, terms.every(isOfIndex), mostToCollect(engine, scope, purpose.wanted))
}

/**
 * Decides between several candidates. Less than the whole of each matches, and a scan may take much longer, so only the
 * upper bound counts. @param first of the candidates
 */
function bySeveral(
  engine: Engine,
  candidates: readonly Candidate[],
  first: Candidate,
  { sorted }: Purpose,
): AccessPath {
  const most = engine.fewCandidates
  if (!sorted) return byCounting(engine, candidates, first, most)
  const some = smallestOf(engine, candidates, Math.min(Math.ceil(most / 2), SOME))
  if (some !== undefined) return { source: finished(uncounted(some)), isFew: true }
  let known: AccessPath | undefined
  const decide = (): AccessPath => {
    known ??= byCounting(engine, candidates, first, most)
    return known
  }
  return { source: finished(first), isFew: false, decide }
}

/** @param canWait counting may continue later, when a scan turns out to be long */
function byOne(engine: Engine, candidate: Candidate, canWait: boolean, most: number): AccessPath {
  const counted = canWait ? Math.min(most, FIRST_COUNT) : most
  const path = byCounting(engine, [candidate], candidate, counted)
  return path.isFew || counted === most ? path : { ...path, undecided: { counted: candidate.source, most } }
}

/** @param first of the candidates */
function byCounting(engine: Engine, candidates: readonly Candidate[], first: Candidate, most: number): AccessPath {
  const smallest = smallestOf(engine, candidates, most)
  if (smallest !== undefined) return { source: finished(uncounted(smallest)), isFew: true }
  return { source: finished(candidates.find(({ source }) => source.inRowOrder) ?? first), isFew: false }
}

/** True for one range of an index, or several. */
const isOfIndex = (term: Term): boolean =>
  term.op === 'entry' || term.op === 'resource' || (term.op === 'any' && term.of.every(isOfIndex))

/** The resources that lack a value which a term requires to be missing, where these are known to be few. */
function lackingOf(engine: Engine, scope: Scope, terms: readonly Term[]): Source | undefined {
  for (const [index, term] of terms.entries()) {
    const source = lackingSource(engine, scope, term, engine.fewCandidates)
    if (source !== undefined) return narrowed(source, terms.toSpliced(index, 1))
  }
  return undefined
}

/** A candidate for each term that an index finds, with the other terms as its rest. */
const candidatesFor = (engine: Engine, scope: Scope, terms: readonly Term[]): readonly Candidate[] =>
  terms.flatMap((term, index): Candidate[] => {
    const source = sourceOf(engine, scope, term)
    const isDerived = term.op !== 'entry' && term.op !== 'resource'
    return source === undefined ? [] : [{ source, rest: terms.toSpliced(index, 1), isDerived }]
  })

/** The candidate with the fewest rows; undefined where all have `most` or more. Several are compared in steps. */
function smallestOf(engine: Engine, candidates: readonly Candidate[], most: number): Candidate | undefined {
  const steps = candidates.length === 1 ? [] : STEPS.filter((size) => size < most)
  for (const step of [...steps, most]) {
    const smallest = smallestBelow(engine, candidates, step)
    if (smallest !== undefined) return smallest
  }
  return undefined
}

/**
 * The most candidates worth collecting. A scan meets a match every T / n resources, where n of T match. Collecting a
 * candidate takes as long as two steps of the scan, so n candidates are few when 2 * n * n < wanted * T.
 */
export function mostToCollect(engine: Engine, scope: Scope, wanted: number): number {
  return Math.min(engine.fewCandidates, Math.ceil(Math.sqrt((wanted * sizeOf(engine, scope)) / 2)))
}

/** An upper bound of the resources of the type, from the first and the last of their row numbers. */
export function sizeOf(engine: Engine, { type, typeName }: Scope): number {
  if (typeName === ADDRESSES) return engine.db.number(raw('SELECT coalesce(max(row), 0) FROM resource'))
  const rows = sql`FROM resource INDEXED BY resource_by_row WHERE type = ${type} AND live = 1`
  return engine.db.number(sql`SELECT (SELECT max(row) ${rows}) - (SELECT min(row) ${rows}) + 1`)
}

/**
 * The candidate without visit counting: its rows have just been counted and are few, so counting each again would cost
 * more than it could save.
 */
const uncounted = ({ source, ...candidate }: Candidate): Candidate => ({
  ...candidate,
  source: { ...source, where: source.range ?? source.where },
})

const finished = ({ source, rest }: Candidate): Source => narrowed(source, rest)

/**
 * Counts no more rows than necessary. Derived sources come last, and only when nothing simpler is small: the sources
 * they are built from may be large.
 */
function smallestBelow(engine: Engine, candidates: readonly Candidate[], limit: number): Candidate | undefined {
  let smallest: Candidate | undefined
  let fewest = limit
  for (const candidate of candidates.toSorted((one, other) => Number(one.isDerived) - Number(other.isDerived))) {
    if (candidate.isDerived && smallest !== undefined) break
    const size = countUpTo(engine, candidate.source, fewest)
    if (size < fewest) [smallest, fewest] = [candidate, size]
    if (fewest === 0) break
  }
  return smallest
}

/** The rows that fulfil one term, straight from an index; undefined where no index has them. */
function sourceOf(engine: Engine, scope: Scope, term: Term): Source | undefined {
  switch (term.op) {
    case 'entry':
      return entrySource(term)
    case 'resource':
      return resourceSource(scope, term.index, term.matches)
    case 'all':
      return accessPath(engine, scope, term.of)?.source
    case 'any':
      return sharedSource(term.of) ?? union(term.of.map((part) => sourceOf(engine, scope, part)))
    case 'chain':
      if (term.among !== undefined) return referring(setSource(term.among), term.param)
      return union(
        term.targets.map((target) => {
          const inner = accessPath(engine, target.scope, conjuncts(target.where))
          return inner && referring(inner.source, term.param)
        }),
      )
    case 'has': {
      if (term.among !== undefined) return setSource(term.among)
      const inner = accessPath(engine, term.scope, conjuncts(term.where))
      return inner && referredTo(inner.source, term.param, scope)
    }
    case 'never':
    case 'always':
    case 'not':
    case 'sorted':
      return undefined
  }
}

export const conjuncts = (term: Term): readonly Term[] => (term.op === 'all' ? term.of : [term])
