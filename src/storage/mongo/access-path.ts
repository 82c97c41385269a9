/** The start of a search: the index ranges that find the candidates, chosen by counting. */
import type { Filter } from './collections.ts'
import type { Engine } from './engine.ts'
import { collectionOf } from './inner-resources.ts'
import { keyRangeOf, scanKeys } from './key-scan.ts'
import { readLimits } from './read-limits.ts'
import type { Scope, Source, Term } from './term.ts'

export interface AccessPath {
  readonly source: Source
  /** True when there are few enough candidates to be collected and sorted. */
  readonly isFew: boolean
  /** The `_id` of each resource that the source finds, in no order; absent where they are unknown. */
  readonly ids?: readonly string[]
}

/**
 * With fewer candidates than this, no better source is searched for, and reading them all takes no longer than a second
 * command.
 */
const VERY_FEW = 128

/**
 * The best source of resources that fulfil all of `terms`. MongoDB's planner cannot choose it: it has no statistics of
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
  for (const limit of limitsFor(engine, sources)) {
    const smallest = await smallestBelow(engine, scope, sources, limit)
    if (smallest !== undefined) return { ...smallest, isFew: true }
  }
  return { source: sources.find(({ inCreationOrder }) => inCreationOrder) ?? first, isFew: false }
}

/** Successive limits for counting: with several sources, it is worth knowing first whether one finds very few. */
const limitsFor = ({ fewCandidates }: Engine, sources: readonly Source[]): readonly number[] =>
  sources.length === 1 ? [fewCandidates] : [Math.min(VERY_FEW, fewCandidates), fewCandidates]

/** The source with the lowest estimate, if there is one. */
function estimatedSmallest({ cardinalities }: Engine, scope: Scope, sources: readonly Source[]): Source | undefined {
  const sizes = sources.map((source) => cardinalities.estimate(keyOf(scope, source)) ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...sizes)
  return least === Number.POSITIVE_INFINITY ? undefined : sources[sizes.indexOf(least)]
}

interface Candidates {
  readonly size: number
  readonly ids?: readonly string[]
}

/** Counts up to `limit` candidates of each source, all at the same time. */
async function smallestBelow(
  engine: Engine,
  scope: Scope,
  sources: readonly Source[],
  limit: number,
): Promise<Omit<AccessPath, 'isFew'> | undefined> {
  if (limit === 0) return undefined
  const counted = await Promise.all(
    sources.map(async (source) => ({ source, ...(await candidatesOf(engine, scope, source, limit)) })),
  )
  const enough = Math.min(VERY_FEW, limit)
  for (const { source, size } of counted) {
    engine.cardinalities.add(keyOf(scope, source), size < enough ? size : undefined)
  }
  const fewest = counted.reduce((one, other) => (other.size < one.size ? other : one))
  if (fewest.size >= limit) return undefined
  return { source: fewest.source, ...(fewest.ids === undefined ? {} : { ids: fewest.ids }) }
}

const keyOf = ({ clinic, type }: Scope, { cardinalityKey }: Source): string =>
  JSON.stringify([clinic, type, cardinalityKey])

/** Counts candidates outside any session, so the count may be slightly out of date. */
async function candidatesOf(engine: Engine, scope: Scope, source: Source, limit: number): Promise<Candidates> {
  const range = keyRangeOf(scope, source)
  if (range !== undefined && !engine.isSharded) {
    const ids = await scanKeys(collectionOf(engine, scope.type), range, limit)
    return { size: ids.length, ...(range.isExact && ids.length < limit ? { ids } : {}) }
  }
  const pipeline = [{ $match: candidateFilter(scope, source, []) }, { $limit: limit }, { $count: 'size' }]
  const options = { hint: source.index, ...readLimits() }
  const documents = collectionOf(engine, scope.type)
  const [counted] = await documents.aggregate<{ readonly size: number }>(pipeline, options).toArray()
  return { size: counted?.size ?? 0 }
}

/**
 * Up to this number, ranges are alternatives at the root of the filter, each with its own tests: the planner takes half
 * as long as for alternatives beside tests.
 */
const MAX_ROOTED = 4

/** False for a term with a long list of ids, which the command should contain only once. */
const isRooted = ({ filters }: Source, terms: readonly Term[]): boolean =>
  filters.length <= MAX_ROOTED && !terms.some(({ isLong }) => isLong)

/**
 * A filter for the live resources that `source` finds and that fulfil `terms`. The terms are in a double `$nor`, as the
 * planner would otherwise take the index range from one of them. Deleted resources have no items, so by_entry does not
 * find them.
 */
export function candidateFilter(
  { clinic, type }: Scope,
  source: Source,
  terms: readonly Term[],
  after?: Filter,
): Filter {
  const scoped = { clinic, type, ...(source.index === 'by_entry' ? {} : { live: true }) }
  const further = after === undefined ? {} : { $and: [after] }
  const [only] = source.filters
  if (only !== undefined && (source.filters.length === 1 || isRooted(source, terms))) {
    const ranges = source.filters.map((range, index) => {
      const proven = source.proves?.[index]
      const open = proven === undefined ? terms : terms.filter((term) => !proven.includes(term))
      return { ...scoped, ...range, ...testsOf(source, open), ...further }
    })
    return ranges.length === 1 ? (ranges[0] ?? {}) : { $or: ranges }
  }
  return { ...scoped, $or: source.filters, ...testsOf(source, terms), ...further }
}

function testsOf(source: Source, terms: readonly Term[]): Filter {
  const tests = terms
    .filter((term) => !(term.source === source && source.exact))
    .map(({ filter }) => filter)
    .filter(isTest)
  return tests.length === 0 ? {} : { $nor: tests.map((filter) => ({ $nor: [filter] })) }
}

/** False for an empty filter, which is true of every resource. */
export const isTest = (filter: Filter): boolean => Object.keys(filter).length > 0
