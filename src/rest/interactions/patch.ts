/** patch and conditional patch with any kind of patch: https://hl7.org/fhir/R4/http.html#patch. */

import { handlerOf } from '../../core/context.ts'
import { badRequest, notFound } from '../../fhir/outcome.ts'
import { readPatch } from '../../fhir/patch.ts'
import { criteriaOf, resolveCriteria } from './conditional.ts'
import { type InteractionHandler, locationOf } from './interaction.ts'
import { preconditionOf } from './update.ts'

const JSON_PATCH = 'application/json-patch+json'

/**
 * @param type the media type of the body, undefined when the client does not say
 * @throws FhirError 400 when the body is a patch of another kind
 */
export function checkPatchType(type: string | undefined, body: unknown): void {
  if (type === undefined || Array.isArray(body) === (type === JSON_PATCH)) return
  throw badRequest(
    `The Content-Type is ${type}, but the body is something else; a JSON Patch, an array of operations, is sent as ${JSON_PATCH}, a FHIRPath Patch, a Parameters resource, as application/fhir+json or application/fhir+xml`,
  )
}

export const patch: InteractionHandler = async (ctx, request) => {
  const { type, base, services } = request
  const handler = handlerOf(services.providers, type, 'patch')
  const change = readPatch(request.body)
  let id = request.id
  if (id === '') {
    const existing = await resolveCriteria(ctx, type, criteriaOf(request, 'patch'), request)
    if (existing === undefined) throw notFound(`No ${type} matches the criteria, so there is nothing to patch`)
    id = existing.id
  }
  const patched = await handler(ctx, type, id, change, preconditionOf(request))
  return { status: 200, resource: patched, location: locationOf(base, patched), kind: 'write' }
}
