/** The page cursor of $everything. */
import { isObject } from '../../fhir/resource.ts'
import { readCursor, writeCursor } from '../../search/cursor.ts'

/** Empty on the first page. */
export interface EverythingCursor {
  /** The current patient or encounter, which was itself returned on an earlier page. */
  readonly id?: string
  /** The store's cursor within its compartment; absent at its beginning. */
  readonly members?: string
  /** The store's cursor for the next patient; absent after the last one. */
  readonly list?: string
}

const LIST = '$everything'

export const writeEverythingCursor = (cursor: EverythingCursor): string => writeCursor(LIST, [cursor])

/** @throws InvalidCursor */
export const readEverythingCursor = (text: string | undefined): EverythingCursor =>
  text === undefined ? {} : readCursor(text, LIST, isShape)[0]

const isShape = (keys: readonly unknown[]): keys is readonly [EverythingCursor] => {
  const [cursor] = keys
  return (
    isObject(cursor) &&
    [cursor['id'], cursor['members'], cursor['list']].every((part) => part === undefined || typeof part === 'string') &&
    (cursor['id'] !== undefined || cursor['list'] !== undefined)
  )
}
