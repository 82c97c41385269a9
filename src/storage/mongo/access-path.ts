/** Where a search starts: the index ranges that give the candidates, chosen by counting. */
import type { Filter } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { type AccessPath, EVERY_LIVE, type Scope, type Term } from './term.ts'
import { sessionOf } from './transaction.ts'

/** Where the candidates come from, and how many they are. */
export interface Source {
  readonly access: AccessPath
  /** There are few enough of them to be collected and sorted. */
  readonly few: boolean
}

/** With fewer candidates than this, no better access path is looked for. */
const VERY_FEW = 64

/**
 * The best source for resources that fulfil all of `terms`. MongoDB's planner can't choose: it has no
 * statistics of the values in an array, and tries only one of several conditions on the same index.
 * @param countAnyway false: where there is only one access path, the number of its candidates does not matter
 * @returns undefined when none of the terms has an access path
 */
export async function bestSource(
  engine: Engine,
  scope: Scope,
  terms: readonly Term[],
  countAnyway: boolean,
): Promise<Source | undefined> {
  const accesses = terms.flatMap(({ access }) => access ?? [])
  const [first] = accesses
  if (first === undefined) return undefined
  const known = accesses.find(({ declared }) => declared) ?? estimatedSmallest(engine, scope, accesses)
  if (known !== undefined) return { access: known, few: true }
  if (accesses.length === 1 && !countAnyway) return { access: first, few: false }
  for (const limit of [Math.min(VERY_FEW, engine.fewCandidates), engine.fewCandidates]) {
    const smallest = await smallestBelow(engine, scope, accesses, limit)
    if (smallest !== undefined) return { access: smallest, few: true }
  }
  return { access: accesses.find(({ inOrder }) => inOrder) ?? first, few: false }
}

/** The access path with the lowest estimate, if there is one. */
function estimatedSmallest(
  { cardinalities }: Engine,
  scope: Scope,
  accesses: readonly AccessPath[],
): AccessPath | undefined {
  const sizes = accesses.map((access) => cardinalities.estimate(keyOf(scope, access)) ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...sizes)
  return least === Number.POSITIVE_INFINITY ? undefined : accesses[sizes.indexOf(least)]
}

/** Counts up to `limit` candidates of each access path, all at the same time. */
async function smallestBelow(
  engine: Engine,
  scope: Scope,
  accesses: readonly AccessPath[],
  limit: number,
): Promise<AccessPath | undefined> {
  if (limit === 0) return undefined
  const sizes = await Promise.all(accesses.map((access) => sizeOf(engine, scope, access, limit)))
  for (const [index, access] of accesses.entries()) {
    const size = sizes[index] ?? limit
    if (limit <= VERY_FEW) engine.cardinalities.add(keyOf(scope, access), size < limit ? size : undefined)
  }
  const fewest = Math.min(...sizes)
  return fewest < limit ? accesses[sizes.indexOf(fewest)] : undefined
}

const keyOf = ({ clinic, type }: Scope, { cardinalityKey }: AccessPath): string =>
  JSON.stringify([clinic, type, cardinalityKey])

/** Outside any session: the count may be slightly out of date. */
async function sizeOf({ resources }: Engine, scope: Scope, access: AccessPath, limit: number): Promise<number> {
  const pipeline = [{ $match: candidates(scope, access, []) }, { $limit: limit }, { $count: 'size' }]
  const [found] = await resources.aggregate<{ readonly size: number }>(pipeline, { hint: access.index }).toArray()
  return found?.size ?? 0
}

/**
 * The filter for the live resources that `access` finds and that fulfil `terms`. The terms are in a double `$nor`, as
 * the planner would otherwise take the index range from one of them. Deleted resources have no items, so by_entry does
 * not find them.
 */
export function candidates(
  { clinic, type }: Scope,
  access: AccessPath,
  terms: readonly Term[],
  after?: Filter,
): Filter {
  const [only] = access.filters
  const driving = access.filters.length === 1 && only !== undefined ? only : { $or: access.filters }
  const tests = terms
    .filter((term) => !(term.access === access && access.exact))
    .map(({ filter }) => filter)
    .filter(isTest)
  return {
    clinic,
    type,
    ...(access.index === 'by_entry' ? {} : { live: true }),
    ...driving,
    ...(tests.length === 0 ? {} : { $nor: tests.map((filter) => ({ $nor: [filter] })) }),
    ...(after === undefined ? {} : { $and: [after] }),
  }
}

const isTest = (filter: Filter): boolean => Object.keys(filter).length > 0

/** How many resources fulfil all of `terms`. */
export async function countOf(reader: Reader, scope: Scope, terms: readonly Term[]): Promise<number> {
  const source = await bestSource(reader, scope, terms, false)
  const access: AccessPath =
    source?.access ?? (terms.every(({ filter }) => !isTest(filter)) ? EVERY_BY_TIME : EVERY_LIVE)
  const pipeline = [{ $match: candidates(scope, access, terms) }, { $count: 'size' }]
  const options = { hint: access.index, ...sessionOf(reader) }
  const [found] = await reader.resources.aggregate<{ readonly size: number }>(pipeline, options).toArray()
  return found?.size ?? 0
}

/** Every live resource, by an index that counts them without their documents. */
const EVERY_BY_TIME: AccessPath = {
  index: 'by_time',
  filters: [{}],
  exact: true,
  inOrder: false,
  cardinalityKey: 'everything by time',
}
