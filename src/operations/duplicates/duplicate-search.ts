/**
 * The search of a clinic for duplicate patients, as the clinic keeps it in a record: one at a time, with how far it is. The
 * pairs that it finds are in found-pairs.ts; background-search.ts carries it out.
 */
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'

export const DUPLICATE_SEARCH = recordKind<DuplicateSearch>('duplicate-search')
export const NEWEST = 'newest'

/** What has been done. */
export interface SearchProgress {
  /** Patients that were compared with those that may be the same person. */
  readonly compared: number
  /** Of these, those for which that took too much work. */
  readonly failed: number
  /** Of these, those of which something is too common to compare all who have it, or that are in too many pairs. */
  readonly narrowed: number
}

export interface DuplicateSearch extends SearchProgress {
  /** From 1, in the order in which the clinic's searches began. */
  readonly number: number
  readonly state: 'searching' | 'complete' | 'cancelled'
  /** Of the clinic when it began, about. */
  readonly patients: number
  /** Pairs that were found. */
  readonly pairs: number
  /** Cursor of the last batch of patients, while it is under way. */
  readonly after?: string
  /** The last one that was complete: its pairs are shown. */
  readonly shown?: CompleteSearch
}

export interface CompleteSearch extends SearchProgress {
  readonly number: number
  /** Milliseconds since 1970 UTC. */
  readonly endedAt: number
}

export const readSearch = async ({ records }: UnitOfWork): Promise<DuplicateSearch | undefined> =>
  (await records.read(DUPLICATE_SEARCH, NEWEST))?.value

/** The search under way, or a new one, which this stages. */
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
  // Due at once: the first server that looks for work begins.
  unit.records.put(DUPLICATE_SEARCH, NEWEST, search, { due: unit.now })
  return search
}

/** Stages that the search is ended. False where it is not under way. */
export async function cancelSearch(unit: UnitOfWork, number: number): Promise<boolean> {
  const search = await readSearch(unit)
  if (search?.number !== number || search.state !== 'searching') return false
  // Due for the deletion of what it has found.
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
