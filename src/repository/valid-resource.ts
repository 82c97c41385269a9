/** Resources known to be valid, so that a body checked at the edge is not checked again when it is staged. */
import type { AnyResource } from '../fhir/resource.ts'
import { checkResource } from '../fhir/validate.ts'

const valid = new WeakSet<AnyResource>()

/**
 * Checks what is not known to be valid.
 * @throws FhirError 400 or 422 naming each element at fault.
 */
export function checkOnce(resource: AnyResource): void {
  if (!valid.has(resource)) checkResource(resource, resource.resourceType)
}

/**
 * `body` as a valid resource of `type`.
 * @throws FhirError 400 or 422 naming each element at fault.
 */
export function validResource(body: unknown, type: string): AnyResource {
  checkResource(body, type)
  const resource = body as AnyResource
  valid.add(resource)
  return resource
}

/** The same resource under another id. */
export function withId<R extends AnyResource>(resource: R, id: string): R & { id: string } {
  const copy = { ...resource, id }
  if (valid.has(resource)) valid.add(copy)
  return copy
}
