/** If-Match and If-None-Match of a write: https://hl7.org/fhir/R4/http.html#concurrency. */
import type { Precondition } from '../../core/precondition.ts'
import { badRequest } from '../../fhir/outcome.ts'
import type { InteractionRequest } from '../message/interaction.ts'
import { versionOfETag } from '../message/negotiate.ts'

/** @throws FhirError 400: a condition that is not understood must not be taken for one that holds */
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

function versionOf(ifMatch: string): number | '*' {
  const version = ifMatch.trim() === '*' ? '*' : versionOfETag(ifMatch)
  if (version !== undefined) return version
  throw badRequest(`If-Match is '${ifMatch}'; use a version as in ETag, for example W/"3", or * for any`)
}
