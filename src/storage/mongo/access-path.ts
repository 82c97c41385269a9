/** The start of a search: the index ranges that find the candidates, chosen by counting. */
import type { Filter } from './collections.ts'
import type { Reader } from './engine.ts'
import { collectionOf } from './inner-resources.ts'
import type { Scope, Source, Term } from './term.ts'
import { readOptions } from './transaction.ts'

interface AccessPath {
  readonly source: Source
  /** True when there are few enough candidates to be collected and sorted. */
  readonly isFew: boolean
}

/** With fewer candidates than this, no better source is searched for. */
const VERY_FEW = 128

/**
 * The best source of resources that fulfil all of `terms`. MongoDB's planner cannot choose it: it has no statistics of
 * the values in an array, and tries only one of several conditions on the same index.
 * @param alwaysCount false: where there is only one source, `isFew` does not matter
 * @returns undefined when none of the terms has a source
 */
export async function accessPath(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  alwaysCount = false,
): Promise<AccessPath | undefined> {
  const sources = terms.flatMap(({ source }) => source ?? [])
  const [first] = sources
  if (first === undefined) return undefined
  const declared = sources.find((source) => source.declared)
  if (declared !== undefined) return { source: declared, isFew: true }
  if (sources.length === 1 && !alwaysCount) return { source: first, isFew: false }
  const { fewCandidates } = reader
  for (const limit of sources.length === 1 ? [fewCandidates] : [Math.min(VERY_FEW, fewCandidates), fewCandidates]) {
    const source = await smallestBelow(reader, scope, sources, limit)
    if (source !== undefined) return { source, isFew: true }
  }
  return { source: sources.find(({ inCreationOrder }) => inCreationOrder) ?? first, isFew: false }
}

/** The source with the fewest candidates, where these are fewer than `limit`. */
async function smallestBelow(
  reader: Reader,
  scope: Scope,
  sources: readonly Source[],
  limit: number,
): Promise<Source | undefined> {
  let [smallest, fewest]: [Source | undefined, number] = [undefined, limit]
  for (const source of sources) {
    const size = fewest === 0 ? 0 : await countUpTo(reader, scope, source, [], fewest)
    if (size < fewest) [smallest, fewest] = [source, size]
  }
  return smallest
}

/** The number of resources that `source` finds and that fulfil `terms`; at most `limit`. */
export async function countUpTo(
  reader: Reader,
  scope: Scope,
  source: Source,
  terms: readonly Term[],
  limit: number,
): Promise<number> {
  const pipeline = [
    { $match: candidateFilter(scope, source, terms) },
    ...(Number.isFinite(limit) ? [{ $limit: limit }] : []),
    { $count: 'size' },
  ]
  const options = { hint: source.index, ...readOptions(reader) }
  const documents = collectionOf(reader, scope.type)
  const [counted] = await documents.aggregate<{ readonly size: number }>(pipeline, options).toArray()
  return counted?.size ?? 0
}

/**
 * A filter for the live resources that `source` finds and that fulfil `terms`. The terms are in a double `$nor`, as the
 * planner would otherwise take the index range from one of them. Ranges are alternatives at the root, which the planner
 * merges in the order of creation; a long list of ids is contained only once. Deleted resources have no items, so
 * by_entry does not find them.
 */
export function candidateFilter(
  { clinic, type }: Scope,
  source: Source,
  terms: readonly Term[],
  after?: Filter,
): Filter {
  const tests = {
    ...testsOf(terms.filter((term) => term.source !== source || !source.exact)),
    ...(after === undefined ? {} : { $and: [after] }),
  }
  const scoped = { clinic, type, ...(source.index === 'by_entry' ? {} : { live: true }) }
  const [first, ...others] = source.filters
  if (first !== undefined && others.length === 0) return { ...scoped, ...first, ...tests }
  if (first === undefined || terms.some(({ isLong }) => isLong)) return { ...scoped, $or: source.filters, ...tests }
  return { $or: source.filters.map((range) => ({ ...scoped, ...range, ...tests })) }
}

function testsOf(terms: readonly Term[]): Filter {
  const tests = terms.map(({ filter }) => filter).filter(isTest)
  return tests.length === 0 ? {} : { $nor: tests.map((filter) => ({ $nor: [filter] })) }
}

/** False for an empty filter, which is true of every resource. */
export const isTest = (filter: Filter): boolean => Object.keys(filter).length > 0
