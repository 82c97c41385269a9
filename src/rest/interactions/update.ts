/** update, update as create and conditional update: https://hl7.org/fhir/R4/http.html#update. */
import { randomUUID } from 'node:crypto'
import { type Context, handlerOf } from '../../core/context.ts'
import type { Precondition } from '../../core/provider.ts'
import { sameId } from '../../core/standard.ts'
import { badRequest, conflict } from '../../fhir/outcome.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import { versionOfETag } from '../message/negotiate.ts'
import { criteriaOf, resolveCriteria } from './conditional.ts'
import { type InteractionHandler, type InteractionRequest, locationOf } from './interaction.ts'

export const update: InteractionHandler = async (ctx, request) => {
  const { type, id, base, services } = request
  const handler = handlerOf(services.providers, type, 'update')
  const body = ctx.unit.validate(request.body, type)
  const resource = id === '' ? await matched(ctx, request, body) : sameId(body, id)
  const updated = await handler(ctx, resource, preconditionOf(request))
  return { status: updated.created ? 201 : 200, resource: updated, location: locationOf(base, updated), kind: 'write' }
}

/** The body with the id of the one resource its criteria match; without a match, its own or a new id. */
async function matched(
  ctx: Context,
  request: InteractionRequest,
  body: AnyResource,
): Promise<AnyResource & { id: string }> {
  const existing = await resolveCriteria(ctx, request.type, criteriaOf(request, 'update'), request)
  if (existing === undefined) {
    await checkFree(ctx, body)
    return ctx.unit.validate(body, request.type, request.assignedId ?? body.id ?? randomUUID())
  }
  if (body.id !== undefined && body.id !== existing.id) {
    throw badRequest(`The criteria match ${request.type}/${existing.id}, but the resource has id '${body.id}'`, {
      expression: `${request.type}.id`,
    })
  }
  return ctx.unit.validate(body, request.type, existing.id)
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

export function preconditionOf({
  ifMatch,
  ifNoneMatch,
}: Pick<InteractionRequest, 'ifMatch' | 'ifNoneMatch'>): Precondition {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw badRequest(`If-None-Match on a write can only be *, not '${ifNoneMatch}'`)
  }
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: versionOf(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch: '*' as const }),
  }
}

/** @throws FhirError 400: a condition that is not understood must not be taken for one that holds. */
function versionOf(ifMatch: string): number | '*' {
  const version = ifMatch.trim() === '*' ? '*' : versionOfETag(ifMatch)
  if (version !== undefined) return version
  throw badRequest(`If-Match is '${ifMatch}'; use a version as in ETag, for example W/"3", or * for any`)
}
