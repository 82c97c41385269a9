/** read: https://hl7.org/fhir/R4/http.html#read, with conditional read (#cread). */
import { handlerOf } from '../../core/provider.ts'
import { notFoundError } from '../../core/standard.ts'
import { isUnmodifiedSince } from '../../http/message/modified-since.ts'
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
