/**
 * The search of a clinic for duplicate patients, of which there is one at a time: its record with the progress, and the pairs
 * it has found. Each pair is two records: one by the pair, so that it is listed once although each patient finds the other,
 * and one by its rank, so that pages are read in that order. background-search.ts runs it.
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

const PAIR = recordKind<FoundPair>('duplicate-pair')
const RANK = recordKind<RankedPair>('duplicate-rank')

/** The ids of two patients, the smaller one first. */
export type PatientIds = readonly [string, string]

interface FoundPair {
  readonly rank: string
}

interface RankedPair {
  readonly patients: PatientIds
}

/** Result of the comparison of two patients. */
export interface LikelyPair {
  readonly patients: PatientIds
  /** See duplicateOdds. */
  readonly odds: number
}

/** Position of a pair in the list of its search. */
export interface PairInList {
  readonly patients: PatientIds
  /** Cursor for the pairs after it. */
  readonly position: string
}

export const idsOf = (one: string, other: string): PatientIds => (one < other ? [one, other] : [other, one])

/** Part of record keys, padded because these are compared as text. */
const numberKey = (search: number): string => String(search).padStart(8, '0')

/** Sorts after every key that begins with the number of a search, as no id contains this character. */
const END = '~'

/** Odds are within some hundreds of zero; the likeliest pair sorts first. */
const rankOf = (odds: number): string =>
  Math.min(9_999, Math.max(0, 5_000 - odds))
    .toFixed(3)
    .padStart(8, '0')

/** Stages the pairs that the search has not found before. @returns their number */
export async function stagePairs(unit: UnitOfWork, search: number, pairs: readonly LikelyPair[]): Promise<number> {
  let staged = 0
  for (const { patients, odds } of pairs) {
    const key = [numberKey(search), ...patients].join('/')
    if ((await unit.records.read(PAIR, key)) !== undefined) continue
    const rank = rankOf(odds)
    unit.records.put(PAIR, key, { rank })
    unit.records.put(RANK, [numberKey(search), rank, ...patients].join('/'), { patients })
    staged += 1
  }
  return staged
}

/** Pairs after the position `after`, the likeliest first. */
export async function listPairs(
  { records }: UnitOfWork,
  search: number,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly PairInList[]> {
  const prefix = `${numberKey(search)}/`
  const found = await records.list(RANK, { after: prefix + after, limit })
  return found
    .filter(({ key }) => key.startsWith(prefix))
    .map(({ key, value: { patients } }) => ({ patients, position: key.slice(prefix.length) }))
}

/** Most records of a kind that one change deletes on each side of the records kept. */
const DELETED_AT_ONCE = 200

/** Stages the deletion of some pairs of searches that are not shown. Returns false when none is left. */
export async function stageDeletions(unit: UnitOfWork, shown: number | undefined): Promise<boolean> {
  let hasDeleted = false
  for (const kind of [PAIR, RANK]) {
    for (const key of await unshownKeys(unit, kind, shown)) {
      unit.records.delete(kind, key, { expect: 'any' })
      hasDeleted = true
    }
  }
  return hasDeleted
}

async function unshownKeys({ records }: UnitOfWork, kind: typeof PAIR | typeof RANK, shown: number | undefined) {
  const limit = DELETED_AT_ONCE
  const first = (await records.list<unknown>(kind, { after: '', limit })).map(({ key }) => key)
  if (shown === undefined) return first
  const kept = numberKey(shown)
  const behind = await records.list<unknown>(kind, { after: kept + END, limit })
  return new Set([...first.filter((key) => !key.startsWith(kept)), ...behind.map(({ key }) => key)])
}
