/** patch and conditional patch with any kind of patch: https://hl7.org/fhir/R4/http.html#patch. */
import { handlerOf } from '../../core/provider.ts'
import { notFound } from '../../fhir/outcome.ts'
import { readPatch } from '../../fhir/patch/patch.ts'
import { preconditionOf } from '../message/entity-tag.ts'
import { locationOf } from '../message/http.ts'
import type { InteractionHandler } from '../message/interaction.ts'
import { matchOf } from './conditional.ts'

export const patch: InteractionHandler = async (ctx, request) => {
  const { type, base, services } = request
  // First, since an entry of a Bundle comes here whatever its type offers.
  handlerOf(services.providers, type, 'patch')
  const change = readPatch(request.body)
  const match = await matchOf(ctx, request, 'patch')
  const id = match === undefined ? request.id : match.resource?.id
  if (id === undefined) throw notFound(`No ${type} matches the criteria, so there is nothing to patch`)
  const patched = await ctx.patch(type, id, change, preconditionOf(request))
  return { status: 200, resource: patched, location: locationOf(base, patched), kind: 'write' }
}
