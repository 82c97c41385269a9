/** create and conditional create: https://hl7.org/fhir/R4/http.html#create. */

import { handlerOf } from '../../core/provider.ts'
import { newId } from '../../fhir/new-id.ts'
import { locationOf } from '../message/http.ts'
import type { InteractionHandler } from '../message/interaction.ts'
import { checkMeetsCriteria, matchOf } from './conditional.ts'

export const create: InteractionHandler = async (ctx, request) => {
  const { type, base, assignedId, services } = request
  // First, since an entry of a Bundle comes here whatever its type offers.
  handlerOf(services.providers, type, 'create')
  const isConditional = request.ifNoneExist !== undefined || request.conditionalMatch !== undefined
  const match = isConditional ? await matchOf(ctx, request, 'create') : undefined
  if (match?.resource !== undefined) {
    return { status: 200, resource: match.resource, location: locationOf(base, match.resource), kind: 'write' }
  }
  // A client's id is ignored on create (http.html#create).
  const created = await ctx.create(ctx.unit.validate(request.body, type, assignedId ?? newId()))
  if (match !== undefined) await checkMeetsCriteria(ctx, created, match, request)
  return { status: 201, resource: created, location: locationOf(base, created), kind: 'write' }
}
