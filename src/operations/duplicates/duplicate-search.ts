/**
 * The record of a clinic's search for duplicate patients, with its progress; there is one search at a time. Its pairs
 * are in found-pairs.ts; background-search.ts runs it.
 */
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'

export const DUPLICATE_SEARCH = recordKind<DuplicateSearch>('duplicate-search')
export const NEWEST = 'newest'

/** Progress of a search. */
export interface SearchProgress {
  /** Number of patients compared with their possible duplicates so far. */
  readonly compared: number
  /** Number of compared patients whose comparison took too much work. */
  readonly failed: number
  /** Number of compared patients with a value too common to compare everyone who has it, or in too many pairs. */
  readonly narrowed: number
}

export interface DuplicateSearch extends SearchProgress {
  /** Counts from 1 in the order in which the clinic's searches began. */
  readonly number: number
  readonly state: 'searching' | 'complete' | 'cancelled'
  /** Approximate number of the clinic's patients at the start. */
  readonly patients: number
  /** Number of pairs found. */
  readonly pairs: number
  /** Cursor of the last batch of patients, while the search is running. */
  readonly after?: string
  /** The last completed search, whose pairs are shown. */
  readonly shown?: CompleteSearch
}

export interface CompleteSearch extends SearchProgress {
  readonly number: number
  /** Milliseconds since 1970 UTC. */
  readonly endedAt: number
}

export const readSearch = async ({ records }: UnitOfWork): Promise<DuplicateSearch | undefined> =>
  (await records.read(DUPLICATE_SEARCH, NEWEST))?.value

/** The running search, or a new one, which this stages. */
export async function startSearch(unit: UnitOfWork): Promise<DuplicateSearch> {
  const before = await readSearch(unit)
  if (before?.state === 'searching') return before
  const search: DuplicateSearch = {
    number: (before?.number ?? 0) + 1,
    state: 'searching',
    patients: await unit.recentCount('Patient'),
    ...{ compared: 0, failed: 0, narrowed: 0, pairs: 0 },
    ...(before?.shown === undefined ? {} : { shown: before.shown }),
  }
  // Due at once: the first server that checks for work starts it.
  unit.records.put(DUPLICATE_SEARCH, NEWEST, search, { due: unit.now })
  return search
}

/** Stages the cancellation. Returns false if that search is not running. */
export async function cancelSearch(unit: UnitOfWork, number: number): Promise<boolean> {
  const search = await readSearch(unit)
  if (search?.number !== number || search.state !== 'searching') return false
  // Due for the deletion of its pairs.
  unit.records.put(DUPLICATE_SEARCH, NEWEST, { ...search, state: 'cancelled' }, { due: unit.now })
  return true
}

/** @param after cursor of the next batch; undefined after the last one */
export function continued(
  search: DuplicateSearch,
  done: SearchProgress & { readonly pairs: number },
  after: string | undefined,
  now: number,
): DuplicateSearch {
  const { after: _after, ...rest } = search
  const progress = {
    compared: search.compared + done.compared,
    failed: search.failed + done.failed,
    narrowed: search.narrowed + done.narrowed,
  }
  const next = { ...rest, ...progress, pairs: search.pairs + done.pairs }
  if (after !== undefined) return { ...next, after }
  return { ...next, state: 'complete', shown: { number: search.number, endedAt: now, ...progress } }
}
