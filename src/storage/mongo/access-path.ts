/** Where a search starts: the index ranges that give the candidates, chosen by counting. */
import type { Filter } from './collections.ts'
import type { Engine } from './engine.ts'
import type { Scope, Source, Term } from './term.ts'

export interface AccessPath {
  readonly source: Source
  /** There are few enough candidates to be collected and sorted. */
  readonly isFew: boolean
}

/** With fewer candidates than this, no better source is looked for. */
const VERY_FEW = 64

/**
 * The best source for resources that fulfil all of `terms`. MongoDB's planner can't choose it: it has no statistics of
 * the values in an array, and tries only one of several conditions on the same index.
 * @param alwaysCount false: where there is only one source, `isFew` does not matter
 * @returns undefined when none of the terms has a source
 */
export async function accessPath(
  engine: Engine,
  scope: Scope,
  terms: readonly Term[],
  alwaysCount = false,
): Promise<AccessPath | undefined> {
  const sources = terms.flatMap(({ source }) => source ?? [])
  const [first] = sources
  if (first === undefined) return undefined
  const known = sources.find(({ declared }) => declared) ?? estimatedSmallest(engine, scope, sources)
  if (known !== undefined) return { source: known, isFew: true }
  if (sources.length === 1 && !alwaysCount) return { source: first, isFew: false }
  for (const limit of [Math.min(VERY_FEW, engine.fewCandidates), engine.fewCandidates]) {
    const smallest = await smallestBelow(engine, scope, sources, limit)
    if (smallest !== undefined) return { source: smallest, isFew: true }
  }
  return { source: sources.find(({ inCreationOrder }) => inCreationOrder) ?? first, isFew: false }
}

/** The source with the lowest estimate, if there is one. */
function estimatedSmallest({ cardinalities }: Engine, scope: Scope, sources: readonly Source[]): Source | undefined {
  const sizes = sources.map((source) => cardinalities.estimate(keyOf(scope, source)) ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...sizes)
  return least === Number.POSITIVE_INFINITY ? undefined : sources[sizes.indexOf(least)]
}

/** Counts up to `limit` candidates of each source, all at the same time. */
async function smallestBelow(
  engine: Engine,
  scope: Scope,
  sources: readonly Source[],
  limit: number,
): Promise<Source | undefined> {
  if (limit === 0) return undefined
  const sizes = await Promise.all(sources.map((source) => sizeOf(engine, scope, source, limit)))
  for (const [index, source] of sources.entries()) {
    const size = sizes[index] ?? limit
    if (limit <= VERY_FEW) engine.cardinalities.add(keyOf(scope, source), size < limit ? size : undefined)
  }
  const fewest = Math.min(...sizes)
  return fewest < limit ? sources[sizes.indexOf(fewest)] : undefined
}

const keyOf = ({ clinic, type }: Scope, { cardinalityKey }: Source): string =>
  JSON.stringify([clinic, type, cardinalityKey])

/** Outside any session: the count may be slightly out of date. */
async function sizeOf({ resources }: Engine, scope: Scope, source: Source, limit: number): Promise<number> {
  const pipeline = [{ $match: candidateFilter(scope, source, []) }, { $limit: limit }, { $count: 'size' }]
  const [found] = await resources.aggregate<{ readonly size: number }>(pipeline, { hint: source.index }).toArray()
  return found?.size ?? 0
}

/**
 * The live resources that `source` finds and that fulfil `terms`. The terms are in a double `$nor`, as the planner would
 * otherwise take the index range from one of them. Deleted resources have no items, so by_entry does not find them.
 */
export function candidateFilter(
  { clinic, type }: Scope,
  source: Source,
  terms: readonly Term[],
  after?: Filter,
): Filter {
  const [only] = source.filters
  const ranges = source.filters.length === 1 && only !== undefined ? only : { $or: source.filters }
  const tests = terms
    .filter((term) => !(term.source === source && source.exact))
    .map(({ filter }) => filter)
    .filter(isTest)
  return {
    clinic,
    type,
    ...(source.index === 'by_entry' ? {} : { live: true }),
    ...ranges,
    ...(tests.length === 0 ? {} : { $nor: tests.map((filter) => ({ $nor: [filter] })) }),
    ...(after === undefined ? {} : { $and: [after] }),
  }
}

/** An empty filter is true of every resource. */
export const isTest = (filter: Filter): boolean => Object.keys(filter).length > 0
