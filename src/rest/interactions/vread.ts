/** vread: https://hl7.org/fhir/R4/http.html#vread. */
import { handlerOf } from '../../core/handler.ts'
import { absent } from '../../core/present.ts'
import type { InteractionHandler } from '../message/interaction.ts'

export const vread: InteractionHandler = async (ctx, { type, id, versionId, services }) => {
  const handler = handlerOf(services.providers, type, 'vread')
  if (!/^\d{1,15}$/.test(versionId)) throw absent(type, `${id}/_history/${versionId}`)
  return { status: 200, resource: await handler(ctx, type, id, Number(versionId)), kind: 'read' }
}
