/** create and conditional create: https://hl7.org/fhir/R4/http.html#create. */
import { randomUUID } from 'node:crypto'
import { handlerOf } from '../../core/context.ts'
import { resolveCriteria } from './conditional.ts'
import { type InteractionHandler, locationOf } from './interaction.ts'

export const create: InteractionHandler = async (ctx, request) => {
  const { type, base, ifNoneExist, assignedId } = request
  const handler = handlerOf(request.services.providers, type, 'create')
  if (ifNoneExist !== undefined) {
    const existing = await resolveCriteria(ctx, type, ifNoneExist.replace(/^\?/, ''), request)
    if (existing !== undefined)
      return { status: 200, resource: existing, location: locationOf(base, existing), kind: 'write' }
  }
  // A client's id is ignored on create (http.html#create); the resource is valid before any rule looks at it.
  const resource = ctx.unit.validate(request.body, type, assignedId ?? randomUUID())
  const created = await handler(ctx, resource)
  return { status: 201, resource: created, location: locationOf(base, created), kind: 'write' }
}
