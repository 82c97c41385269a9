/** The page cursor of $find. */
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Place } from '../../scheduling/opening-order.ts'

/** The opaque text of a place. */
export const writeFindCursor = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** @throws FhirError 400 when it is not a cursor of $find */
export function readFindCursor(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined
  const place = parsed(text)
  if (isPlace(place)) return place
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
