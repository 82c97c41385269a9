/**
 * delete and conditional delete: https://hl7.org/fhir/R4/http.html#delete. Deleting a deleted resource is not an error.
 */
import { handlerOf } from '../../core/provider.ts'
import { toOutcome } from '../../fhir/outcome.ts'
import { preconditionOf } from '../message/entity-tag.ts'
import type { InteractionHandler } from '../message/interaction.ts'
import { matchOf } from './conditional.ts'

export const deleteResource: InteractionHandler = async (ctx, request) => {
  const { type, services } = request
  // First, since an entry of a Bundle comes here whatever its type offers.
  handlerOf(services.providers, type, 'delete')
  const match = await matchOf(ctx, request, 'delete')
  const id = match === undefined ? request.id : match.resource?.id
  // Read by the deletion too, and only once; the deletion itself says no longer whose data it was.
  const before = id === undefined ? undefined : await ctx.unit.read(type, id)
  const deleted = id === undefined ? undefined : await ctx.delete(type, id, preconditionOf(request))
  const diagnostics = deleted === undefined ? 'There was nothing to delete' : `${type}/${deleted.id} was deleted`
  const outcome = toOutcome([{ severity: 'information', code: 'informational', diagnostics }])
  const about = before === undefined ? [] : [before]
  return { status: 204, ...(deleted === undefined ? {} : { resource: deleted }), outcome, about, kind: 'write' }
}
