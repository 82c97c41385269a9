/** Cursors: where a page ended, as text that fits only the search or history it was made for. */
import { hash } from 'node:crypto'
import { InvalidCursor } from './port.ts'

/** Values of what a page is ordered by; null where the resource has none. */
export type CursorKey = string | number | null

/** `made` for `query` (JSON): base64url of the keys and a check over both. */
export function writeCursor(query: unknown, keys: readonly CursorKey[]): string {
  return Buffer.from(JSON.stringify([check(query, keys), ...keys])).toString('base64url')
}

/**
 * The `count` keys of a cursor that `writeCursor` made for the same `query`.
 * @throws InvalidCursor
 */
export function readCursor(cursor: string, query: unknown, count: number): readonly CursorKey[] {
  const [found, ...keys] = parsed(cursor)
  const known = keys.filter(isKey)
  if (known.length !== count || keys.length !== count || found !== check(query, known)) {
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

const check = (query: unknown, keys: readonly CursorKey[]): string =>
  hash('sha256', JSON.stringify([query, keys]), 'base64url').slice(0, 16)
