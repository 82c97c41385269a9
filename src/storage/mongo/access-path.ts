/** Where a search starts: the index ranges that give candidates, chosen by what the data say. */
import type { Filter } from './collections.ts'
import type { Engine, Reader } from './engine.ts'
import { type Access, EVERY, type Scope, type Term } from './term.ts'
import { sessionOf } from './transaction.ts'

/** Candidates: where they come from, and how many they are. */
export interface Source {
  readonly access: Access
  /** Known to be few enough to be collected and sorted. */
  readonly few: boolean
}

/** Below this nobody asks for a better candidate. */
const VERY_FEW = 64

/**
 * The best source for resources that fulfil all of `terms`. The planner of the server can't choose: it has no
 * statistics of the values in an array, and tries only one of several conditions on the same index.
 * @param countAnyway false: where there is but one source, how much it gives need not be known
 * @returns undefined when no index finds them, but the one that finds everything
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
  const known = accesses.find(({ declared }) => declared) ?? remembered(engine, scope, accesses)
  if (known !== undefined) return { access: known, few: true }
  if (accesses.length === 1 && !countAnyway) return { access: first, few: false }
  for (const limit of [Math.min(VERY_FEW, engine.fewCandidates), engine.fewCandidates]) {
    const smallest = await smallestBelow(engine, scope, accesses, limit)
    if (smallest !== undefined) return { access: smallest, few: true }
  }
  return { access: accesses.find(({ inOrder }) => inOrder) ?? first, few: false }
}

/** The one whose like have found the least. */
function remembered({ habits }: Engine, scope: Scope, accesses: readonly Access[]): Access | undefined {
  const sizes = accesses.map((access) => habits.sizeOf(habitOf(scope, access)) ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...sizes)
  return least === Number.POSITIVE_INFINITY ? undefined : accesses[sizes.indexOf(least)]
}

/** Counts no more of each than it takes to know, all at once. */
async function smallestBelow(
  engine: Engine,
  scope: Scope,
  accesses: readonly Access[],
  limit: number,
): Promise<Access | undefined> {
  if (limit === 0) return undefined
  const sizes = await Promise.all(accesses.map((access) => sizeOf(engine, scope, access, limit)))
  for (const [index, access] of accesses.entries()) {
    const size = sizes[index] ?? limit
    if (limit <= VERY_FEW) engine.habits.learn(habitOf(scope, access), size < limit ? size : undefined)
  }
  const fewest = Math.min(...sizes)
  return fewest < limit ? accesses[sizes.indexOf(fewest)] : undefined
}

const habitOf = ({ clinic, type }: Scope, { habit }: Access): string => JSON.stringify([clinic, type, habit])

/** Outside of any session: a count that is a little old is as good. */
async function sizeOf({ resources }: Engine, scope: Scope, access: Access, limit: number): Promise<number> {
  const pipeline = [{ $match: candidates(scope, access, []) }, { $limit: limit }, { $count: 'size' }]
  const [found] = await resources.aggregate<{ readonly size: number }>(pipeline, { hint: access.index }).toArray()
  return found?.size ?? 0
}

/**
 * The live resources that `access` gives, as far as they fulfil `terms`. These are hidden from the planner, which
 * would else take one of them for its index range. Only live resources have items, so only other indexes have others.
 */
export function candidates({ clinic, type }: Scope, access: Access, terms: readonly Term[], after?: Filter): Filter {
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
  const access: Access = source?.access ?? (terms.every(({ filter }) => !isTest(filter)) ? LATEST : EVERY)
  const pipeline = [{ $match: candidates(scope, access, terms) }, { $count: 'size' }]
  const options = { hint: access.index, ...sessionOf(reader) }
  const [found] = await reader.resources.aggregate<{ readonly size: number }>(pipeline, options).toArray()
  return found?.size ?? 0
}

/** Every live resource, by an index that need not look at the documents to count them. */
const LATEST: Access = {
  index: 'by_time',
  filters: [{}],
  exact: true,
  inOrder: false,
  habit: 'latest',
}
