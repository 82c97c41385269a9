/** If-Modified-Since: https://hl7.org/fhir/R4/http.html#cread, https://www.rfc-editor.org/rfc/rfc9110#section-13.1.3. */
import { parseDateRange } from '../../fhir/dates.ts'

/** Milliseconds: of an HTTP date, and of an instant without fraction. */
const SECOND = 1000

/** By its weekday: Date.parse takes nearly anything for a date. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/**
 * Whether a resource of that time (milliseconds since 1970 UTC) has not been modified since a date: an HTTP date in any
 * of its three forms, or a FHIR dateTime in any precision. An invalid date is ignored.
 */
export function isUnmodifiedSince(lastUpdated: number, date: string): boolean {
  const last = lastInstantOf(date)
  return last !== undefined && lastUpdated <= last
}

/**
 * A second is that of the Last-Modified of the version that the client has, so all of it. Of a minute, a day or a year
 * only the beginning is certain to be before what the client has.
 */
function lastInstantOf(date: string): number | undefined {
  const range = parseDateRange(date.trim())
  if (range !== undefined) return range.high - range.low < SECOND ? range.high : range.low
  if (!HTTP_DATE.test(date)) return undefined
  // The form of asctime() has no zone; HTTP dates are in GMT.
  const parsed = Date.parse(date.endsWith('GMT') ? date : `${date} GMT`)
  return Number.isNaN(parsed) ? undefined : parsed + SECOND - 1
}
