/** update, update as create and conditional update: https://hl7.org/fhir/R4/http.html#update. */
import type { Meta } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { handlerOf } from '../../core/provider.ts'
import { checkIsWhole } from '../../core/write.ts'
import { newId } from '../../fhir/new-id.ts'
import { badRequest, conflict, FhirError } from '../../fhir/outcome.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import type { Versioned } from '../../repository/repository.ts'
import { preconditionOf } from '../message/entity-tag.ts'
import { locationOf } from '../message/http.ts'
import type { InteractionHandler } from '../message/interaction.ts'
import { checkMeetsCriteria, matchOf } from './conditional.ts'

export const update: InteractionHandler = async (ctx, request) => {
  const { type, base, services } = request
  // First, since an entry of a Bundle comes here whatever its type offers.
  handlerOf(services.providers, type, 'update')
  const provider = services.providers.get(type)
  const whole = request.id === '' ? undefined : await provider?.completed?.(ctx, request.body, request.id)
  const body = ctx.unit.validate(whole ?? request.body, type)
  const match = await matchOf(ctx, request, 'update')
  const id = match === undefined ? sameId(body, request.id) : await idFor(ctx, body, match.resource, request.assignedId)
  if (request.ifMatch === undefined && (await provider?.requiresIfMatch?.(ctx))) await checkIsNew(ctx, type, id)
  const complete = await withLabels(ctx, ctx.unit.validate(body, type, id), id)
  await checkIsWhole(ctx, complete)
  const updated = await ctx.update(complete, preconditionOf(request))
  if (match !== undefined && match.resource === undefined) await checkMeetsCriteria(ctx, updated, match, request)
  return { status: updated.created ? 201 : 200, resource: updated, location: locationOf(base, updated), kind: 'write' }
}

/** Tags of the server itself tell what state a resource is in; the rules of its type decide about them. */
const OWN_SYSTEMS = 'https://sandbox-emr.example/fhir/CodeSystem/'

/** The resource with the tags, security labels and profiles of the current version, where it comes without meta. */
async function withLabels(ctx: Context, resource: AnyResource, id: string): Promise<AnyResource> {
  if (resource.meta !== undefined) return resource
  const current = await ctx.unit.read(resource.resourceType, id)
  if (current === undefined || current.deleted) return resource
  const { tag: all = [], security, profile, _profile } = (current.resource.meta ?? {}) as Labels
  const tag = all.filter(({ system }) => system?.startsWith(OWN_SYSTEMS) !== true)
  const labels = { ...(tag.length === 0 ? {} : { tag }), security, profile, _profile }
  if (Object.values(labels).every((one) => one === undefined)) return resource
  return { ...resource, meta: Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== undefined)) }
}

type Labels = Pick<Meta, 'tag' | 'security' | 'profile' | '_profile'>

/** @throws FhirError 428 where there is a version on which the update is to be based: https://www.rfc-editor.org/rfc/rfc6585#section-3 */
async function checkIsNew(ctx: Context, type: string, id: string): Promise<void> {
  const current = await ctx.unit.read(type, id)
  if (current === undefined || current.deleted) return
  throw new FhirError(428, {
    code: 'required',
    diagnostics: `An update of a ${type} needs If-Match with the version that it is based on; read ${type}/${id} and send its ETag, e.g. If-Match: W/"1"`,
    reason: 'if-match-missing',
  })
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
    return assignedId ?? body.id ?? newId()
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
