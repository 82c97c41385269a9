/** Page cursors: the end of a page, as opaque text that is valid only for the list it was written for. */
import { hash } from 'node:crypto'
import { FhirError } from '../fhir/outcome.ts'

/** Longest cursor that is read: those of sorts by long texts are long, and one cursor may contain another. */
const MAX_LENGTH = 65_536

/** 400: a cursor that this server has not written for the list. */
export class InvalidCursor extends FhirError {
  constructor() {
    super(400, {
      code: 'invalid',
      expression: '_cursor',
      diagnostics:
        'The page cursor does not belong to this list; follow the next link as given, or start again from its first page',
    })
    this.name = 'InvalidCursor'
  }
}

/** @param list any JSON value; the cursor is base64url of the keys and a checksum of both */
export const writeCursor = (list: unknown, keys: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([checksum(list, keys), ...keys])).toString('base64url')

/**
 * The keys of a cursor that `writeCursor` returned for the same `list`. The checksum finds mistakes, not forgeries, so
 * the shape of the keys is examined too.
 * @throws InvalidCursor for any other text
 */
export function readCursor<Keys extends readonly unknown[]>(
  cursor: string,
  list: unknown,
  isShape: (keys: readonly unknown[]) => keys is Keys,
): Keys {
  const [found, ...keys] = parsed(cursor)
  if (found !== checksum(list, keys) || !isShape(keys)) throw new InvalidCursor()
  return keys
}

function parsed(cursor: string): readonly unknown[] {
  if (cursor.length > MAX_LENGTH) return []
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

const checksum = (list: unknown, keys: readonly unknown[]): string =>
  hash('sha256', JSON.stringify([list, keys]), 'base64url').slice(0, 16)
