/**
 * The cursors of the engines: sort values of the last item of a page, for the search, history or scan it belongs to; and
 * the order of these values, as both databases have it: texts by the bytes of UTF-8.
 */
import { readCursor } from '../search/cursor.ts'
import type { SearchPlan, SortKey } from '../search/plan.ts'
import type { HistoryQuery, ScanQuery, VersionScan } from './port.ts'

/** A sort value of the last item of a page; null where the resource has none. */
export type CursorKey = string | number | null

/** @throws InvalidCursor when it is not a cursor of `count` keys for the same `query` */
export const readKeys = (cursor: string, query: unknown, count: number): readonly CursorKey[] =>
  readCursor(cursor, query, (keys): keys is readonly CursorKey[] => keys.length === count && keys.every(isKey))

const isKey = (value: unknown): value is CursorKey =>
  value === null || typeof value === 'string' || typeof value === 'number'

/**
 * The parts of a search to which its cursor is bound: the matches and their order, but not the page size or the
 * includes.
 */
export const searchCursorQuery = ({ clinic, types, where, sort, asked }: SearchPlan): unknown => [
  clinic,
  types,
  asked ?? where,
  sort,
]

export const historyCursorQuery = ({ clinic, type, id, since, at, among }: HistoryQuery): unknown => [
  'history',
  ...[clinic, type, id, since, at],
  ...(among === undefined ? [] : [among.name]),
]

export const versionScanCursorQuery = ({ clinic, type, isCurrent }: VersionScan): unknown => [
  ...['versions', clinic],
  ...(type === undefined ? [] : [type]),
  ...(isCurrent === undefined ? [] : [isCurrent]),
]

export const recordScanCursorQuery = ({ clinic }: ScanQuery): unknown => ['records', clinic]

export const compareTexts = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const compareValues = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : compareTexts(String(one), String(other))

/** Compares the sort values of two resources; a missing value comes after every value. */
export function compareKeys(
  sort: readonly Pick<SortKey, 'descending'>[],
  one: readonly CursorKey[],
  other: readonly CursorKey[],
): number {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [one[index] ?? null, other[index] ?? null]
    if (left === right) continue
    if (left === null) return 1
    if (right === null) return -1
    return descending ? compareValues(right, left) : compareValues(left, right)
  }
  return 0
}
