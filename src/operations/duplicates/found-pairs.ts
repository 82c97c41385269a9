/**
 * Pairs found by a search for duplicates, as two records each: one by the pair, so that it is listed once although each
 * patient finds the other, and one by its rank, so that pages are read in that order.
 */
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'

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
