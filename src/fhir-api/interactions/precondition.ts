/** If-Match and If-None-Match of a write: https://hl7.org/fhir/R4/http.html#concurrency. */
import type { Precondition } from '../../core/precondition.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { versionsIn } from '../message/entity-tag.ts'
import type { InteractionRequest } from '../message/interaction.ts'

/**
 * A tag in If-Match that this server never issued matches no version, so the precondition fails.
 * @throws FhirError 400 for an If-None-Match other than *
 */
export function preconditionOf({
  ifMatch,
  ifNoneMatch,
}: Pick<InteractionRequest, 'ifMatch' | 'ifNoneMatch'>): Precondition {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw badRequest(`If-None-Match on a write can only be *, not '${ifNoneMatch}'`)
  }
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: ifMatch.trim() === '*' ? ('*' as const) : versionsIn(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch: '*' as const }),
  }
}
