/** vread: https://hl7.org/fhir/R4/http.html#vread. */
import { handlerOf } from '../../core/handler.ts'
import { absent } from '../../core/present.ts'
import type { InteractionHandler } from '../message/interaction.ts'
import { isUnchanged } from './read.ts'

export const vread: InteractionHandler = async (ctx, request) => {
  const { type, id, versionId, services } = request
  const handler = handlerOf(services.providers, type, 'vread')
  if (!/^\d{1,15}$/.test(versionId)) throw absent(type, `${id}/_history/${versionId}`)
  const resource = await handler(ctx, type, id, Number(versionId))
  return { status: isUnchanged(resource, request) ? 304 : 200, resource, kind: 'read' }
}
