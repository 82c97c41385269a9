/** delete and conditional delete: https://hl7.org/fhir/R4/http.html#delete. Deleting what is gone is no error. */

import { handlerOf } from '../../core/context.ts'
import { toOutcome } from '../../fhir/outcome.ts'
import { criteriaOf, resolveCriteria } from './conditional.ts'
import type { InteractionHandler } from './interaction.ts'
import { preconditionOf } from './update.ts'

export const deleteResource: InteractionHandler = async (ctx, request) => {
  const { type, services } = request
  const handler = handlerOf(services.providers, type, 'delete')
  const id =
    request.id === '' ? (await resolveCriteria(ctx, type, criteriaOf(request, 'delete'), request))?.id : request.id
  const deleted = id === undefined ? undefined : await handler(ctx, type, id, preconditionOf(request))
  const diagnostics = deleted === undefined ? 'There was nothing to delete' : `${type}/${deleted.id} was deleted`
  const outcome = toOutcome([{ severity: 'information', code: 'informational', diagnostics }])
  return { status: 204, ...(deleted === undefined ? {} : { resource: deleted }), outcome, kind: 'write' }
}
