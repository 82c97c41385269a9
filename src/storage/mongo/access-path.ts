/**
 * The start of a search: the index ranges that find the candidates, chosen by counting; and the ids of the resources that
 * they find, for chained searches and _has.
 */

import { BudgetError, spend } from '../../isolation/budget.ts'
import type { Filter } from './collections.ts'
import type { Reader } from './engine.ts'
import { isArrayTooLarge } from './faults.ts'
import { keyOf } from './index-entries.ts'
import { collectionOf } from './inner-resources.ts'
import { EVERY_LIVE, NEVER, type Scope, type Source, type Term } from './term.ts'
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

/** The ids of all resources that fulfil `terms`. */
export const matchingIds = (reader: Reader, scope: Scope, terms: readonly Term[]): Promise<readonly string[]> =>
  listed(reader, scope, terms, [{ $project: { _id: '$id' } }])

/** The ids of the resources of `targetType` to which resources that fulfil `terms` refer by `param`. */
export function referencedIds(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  param: string,
  targetType: string,
): Promise<readonly string[]> {
  const isReference = { $and: [{ $eq: ['$$this.k', keyOf('reference', param)] }, { $eq: ['$$this.type', targetType] }] }
  return listed(reader, scope, terms, [
    { $project: { references: { $filter: { input: '$ix', cond: isReference } } } },
    { $unwind: '$references' },
    { $group: { _id: '$references.v' } },
  ])
}

/**
 * Reads the ids as one array in one document, which takes a fifth of the time on the event loop that a document for
 * each would.
 * @param stages make a document with an `_id` for each id, from the resources that fulfil `terms`
 * @throws BudgetError where there are more than may be listed
 */
async function listed(
  reader: Reader,
  scope: Scope,
  terms: readonly Term[],
  stages: readonly object[],
): Promise<readonly string[]> {
  if (terms.includes(NEVER)) return []
  const source = (await accessPath(reader, scope, terms))?.source ?? EVERY_LIVE
  const matching = { $match: candidateFilter(scope, source, terms) }
  const options = { hint: source.index, ...readOptions(reader) }
  const [found] = await collectionOf(reader, scope.type)
    .aggregate<List>([matching, ...stages, { $limit: reader.maxListed + 1 }, ...AS_ONE_LIST], options)
    .toArray()
    .catch((error: unknown) => {
      throw isArrayTooLarge(error) ? new BudgetError('too costly', LISTED) : error
    })
  const { ids, bytes } = found ?? { ids: [], bytes: 0 }
  spend(ids.length, LISTED)
  if (ids.length > reader.maxListed || bytes > MOST_BYTES) throw new BudgetError('too costly', LISTED)
  return ids
}

interface List {
  readonly ids: readonly string[]
  readonly bytes: number
}

/** Most bytes of all ids of a list: they are part of the next command, which is limited to 16 MB, like a document. */
const MOST_BYTES = 12_000_000

/**
 * Stages that make one list; without ids where it is too long, as MongoDB closes the connection when a document becomes
 * too large.
 */
const AS_ONE_LIST = [
  { $group: { _id: null, ids: { $push: '$_id' }, bytes: { $sum: { $strLenBytes: '$_id' } } } },
  { $project: { bytes: 1, ids: { $cond: [{ $gt: ['$bytes', MOST_BYTES] }, [], '$ids'] } } },
]

const LISTED = 'a chained search that matches very many resources'
