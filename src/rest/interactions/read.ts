/** read: https://hl7.org/fhir/R4/http.html#read, with conditional read (#cread). */
import { handlerOf } from '../../core/handler.ts'
import type { Versioned } from '../../repository/repository.ts'
import { versionsIn } from '../message/entity-tag.ts'
import type { InteractionHandler, InteractionRequest } from '../message/interaction.ts'
import { isUnmodifiedSince } from '../message/modified-since.ts'

export const read: InteractionHandler = async (ctx, request) => {
  const resource = await handlerOf(request.services.providers, request.type, 'read')(ctx, request.type, request.id)
  return { status: isUnchanged(resource, request) ? 304 : 200, resource, kind: 'read' }
}

/** True when the client already holds this version; If-None-Match decides where both conditions are given (RFC 9110). */
export function isUnchanged(resource: Versioned, { ifNoneMatch, ifModifiedSince }: InteractionRequest): boolean {
  if (ifNoneMatch !== undefined) {
    return ifNoneMatch.trim() === '*' || versionsIn(ifNoneMatch).includes(resource.version)
  }
  return ifModifiedSince !== undefined && isUnmodifiedSince(resource.lastUpdated, ifModifiedSince)
}
