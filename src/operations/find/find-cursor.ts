/** The page cursor of $find. */
import type { CountedOpenings } from '../../booking/count-openings.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Place } from '../../scheduling/opening-order.ts'

export interface FindCursor {
  /** The start of the page. */
  readonly place: Place
  /** The total of all pages, as counted for the first one. */
  readonly counted?: CountedOpenings
}

/** Encodes a cursor as opaque text. */
export const writeFindCursor = (cursor: FindCursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** @throws FhirError 400 if it is not a cursor of $find */
export function readFindCursor(text: string | undefined): FindCursor | undefined {
  if (text === undefined) return undefined
  const cursor = parsed(text)
  if (isCursor(cursor)) return cursor
  throw badRequest('The page cursor is not one of Appointment/$find; follow the next link as given, or start again', {
    expression: '_cursor',
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

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
