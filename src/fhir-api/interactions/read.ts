/**
 * read and vread (https://hl7.org/fhir/R4/http.html#read, #vread), with conditional read (#cread): 200, or 304 where the client
 * has the version already. The provider answers 404, and 410 for a deleted resource.
 */
import { handlerOf, notFoundError } from '../../core/provider.ts'
import { parseDateRange } from '../../fhir/dates.ts'
import type { Versioned } from '../../repository/repository.ts'
import { versionsIn } from '../message/entity-tag.ts'
import type { InteractionHandler, InteractionRequest } from '../message/interaction.ts'

export const read: InteractionHandler = async (ctx, request) => {
  const resource = await handlerOf(request.services.providers, request.type, 'read')(ctx, request.type, request.id)
  return { status: isUnchanged(resource, request) ? 304 : 200, resource, kind: 'read' }
}

/** True when the client already holds this version; If-None-Match decides where both conditions are given (RFC 9110). */
function isUnchanged(resource: Versioned, { ifNoneMatch, ifModifiedSince }: InteractionRequest): boolean {
  if (ifNoneMatch !== undefined) {
    return ifNoneMatch.trim() === '*' || versionsIn(ifNoneMatch).includes(resource.version)
  }
  return ifModifiedSince !== undefined && isUnmodifiedSince(resource.lastUpdated, ifModifiedSince)
}

/** https://hl7.org/fhir/R4/http.html#vread */
export const vread: InteractionHandler = async (ctx, request) => {
  const { type, id, versionId, services } = request
  const handler = handlerOf(services.providers, type, 'vread')
  if (!/^\d{1,15}$/.test(versionId)) throw notFoundError(type, `${id}/_history/${versionId}`)
  const resource = await handler(ctx, type, id, Number(versionId))
  return { status: isUnchanged(resource, request) ? 304 : 200, resource, kind: 'read' }
}

/** Milliseconds: of an HTTP date, and of an instant without fraction. */
const SECOND = 1000

/** By its weekday: Date.parse takes nearly anything for a date. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/**
 * If-Modified-Since (https://www.rfc-editor.org/rfc/rfc9110#section-13.1.3): whether a resource of that time (milliseconds since 1970 UTC) has not been modified since a date: an HTTP date in any
 * of its three forms, or a FHIR dateTime in any precision. An invalid date is ignored.
 */
function isUnmodifiedSince(lastUpdated: number, date: string): boolean {
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
