/** The page cursor of $find. */
import type { CountedOpenings } from '../../booking/count-openings.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Place } from '../../scheduling/opening-order.ts'
import { readCursor, writeCursor } from '../../search/cursor.ts'

export interface FindCursor {
  /** The start of the page. */
  readonly place: Place
  /** The total of all pages, as counted for the first one. */
  readonly counted?: CountedOpenings
}

const LIST = 'Appointment/$find'

export const writeFindCursor = (cursor: FindCursor): string => writeCursor(LIST, [cursor])

/** @throws InvalidCursor */
export const readFindCursor = (text: string | undefined): FindCursor | undefined =>
  text === undefined ? undefined : readCursor(text, LIST, isShape)[0]

const isShape = (keys: readonly unknown[]): keys is readonly [FindCursor] => isCursor(keys[0])

const isCursor = (value: unknown): value is FindCursor =>
  isObject(value) && isPlace(value['place']) && (value['counted'] === undefined || isCount(value['counted']))

const isCount = (value: unknown): value is CountedOpenings =>
  isObject(value) &&
  Number.isSafeInteger(value['total']) &&
  Number(value['total']) >= 0 &&
  typeof value['isAll'] === 'boolean'

function isPlace(value: unknown): value is Place {
  if (!isObject(value) || !Number.isSafeInteger(value['start'])) return false
  const { of } = value
  if (of === undefined) return true
  return (
    isObject(of) &&
    typeof of['slot'] === 'string' &&
    Array.isArray(of['preference']) &&
    of['preference'].every(Number.isInteger)
  )
}
