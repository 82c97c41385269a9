/** Cursors: the end of a page, as text that is valid only for the search or history it was written for. */
import { hash } from 'node:crypto'
import type { SearchPlan } from '../search/plan.ts'
import { type HistoryQuery, InvalidCursor, type ScanQuery } from './port.ts'

/** A sort value of the last item of a page; null where the resource has none. */
export type CursorKey = string | number | null

/** @param query any JSON value; the cursor is base64url of the keys and a checksum of both */
export function writeCursor(query: unknown, keys: readonly CursorKey[]): string {
  return Buffer.from(JSON.stringify([checksum(query, keys), ...keys])).toString('base64url')
}

/**
 * The `count` keys of a cursor that `writeCursor` returned for the same `query`.
 * @throws InvalidCursor for any other text
 */
export function readCursor(cursor: string, query: unknown, count: number): readonly CursorKey[] {
  const [found, ...keys] = parsed(cursor)
  const known = keys.filter(isKey)
  if (known.length !== count || keys.length !== count || found !== checksum(query, known)) {
    throw new InvalidCursor('This page address does not belong to this search; start again from its first page')
  }
  return known
}

function parsed(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

const isKey = (value: unknown): value is CursorKey =>
  value === null || typeof value === 'string' || typeof value === 'number'

const checksum = (query: unknown, keys: readonly CursorKey[]): string =>
  hash('sha256', JSON.stringify([query, keys]), 'base64url').slice(0, 16)

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

export const versionScanCursorQuery = ({ clinic }: ScanQuery): unknown => ['versions', clinic]

export const recordScanCursorQuery = ({ clinic }: ScanQuery): unknown => ['records', clinic]
