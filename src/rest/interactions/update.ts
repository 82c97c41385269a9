/** update, update as create and conditional update: https://hl7.org/fhir/R4/http.html#update. */
import { randomUUID } from 'node:crypto'
import type { Context } from '../../core/context.ts'
import { handlerOf } from '../../core/handler.ts'
import { badRequest, conflict } from '../../fhir/outcome.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import type { Versioned } from '../../repository/repository.ts'
import { type InteractionHandler, locationOf } from '../message/interaction.ts'
import { matchOf } from './conditional.ts'
import { preconditionOf } from './precondition.ts'

export const update: InteractionHandler = async (ctx, request) => {
  const { type, base, services } = request
  // First, since an entry of a Bundle comes here whatever its type offers.
  handlerOf(services.providers, type, 'update')
  const body = ctx.unit.validate(request.body, type)
  const match = await matchOf(ctx, request, 'update')
  const id = match === undefined ? sameId(body, request.id) : await idFor(ctx, body, match.resource, request.assignedId)
  const updated = await ctx.update(ctx.unit.validate(body, type, id), preconditionOf(request))
  return { status: updated.created ? 201 : 200, resource: updated, location: locationOf(base, updated), kind: 'write' }
}

/** The body's id must be the one in the URL (http.html#update). */
function sameId(resource: AnyResource, id: string): string {
  if (resource.id === id) return id
  throw badRequest(
    resource.id === undefined
      ? `The resource has no id; an update needs the id of the URL in the body: "id": "${id}"`
      : `The resource has id '${resource.id}', but the URL says '${id}'; they must be equal`,
    { expression: `${resource.resourceType}.id` },
  )
}

/** The id of the one resource that the criteria match; without a match, the body's own or a new one. */
async function idFor(
  ctx: Context,
  body: AnyResource,
  matching: Versioned | undefined,
  assignedId: string | undefined,
): Promise<string> {
  if (matching === undefined) {
    await checkFree(ctx, body)
    return assignedId ?? body.id ?? randomUUID()
  }
  if (body.id === undefined || body.id === matching.id) return matching.id
  throw badRequest(`The criteria match ${matching.type}/${matching.id}, but the resource has id '${body.id}'`, {
    expression: `${matching.type}.id`,
  })
}

/** A resource that the criteria do not match is not the one to overwrite. @throws FhirError 409 */
async function checkFree(ctx: Context, { resourceType: type, id }: AnyResource): Promise<void> {
  const taken = id === undefined ? undefined : await ctx.unit.read(type, id)
  if (taken === undefined || taken.deleted) return
  throw conflict(
    `The criteria match nothing, but ${type}/${id} exists already; correct the criteria, or update it by PUT ${type}/${id}`,
    { expression: `${type}.id` },
  )
}
