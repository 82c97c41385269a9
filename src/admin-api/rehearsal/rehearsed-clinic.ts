/** The clinic of a request about its rehearsal: that of the user, or any for an operator. */
import type { Context as KoaContext } from 'koa'
import { isClinicId } from '../../clinics/clinics.ts'
import { findSettings } from '../../clinics/settings.ts'
import { notFound } from '../../fhir/outcome.ts'
import { forbidden, requireOperator } from '../../http/authenticate.ts'
import { tellUserAccess, userOf } from '../../http/exchange.ts'
import type { Repository } from '../../repository/repository.ts'

interface Wanted {
  /** The user's intent: `reset clinic`. */
  readonly what: string
  /** Staff may read, but not change; absent: it is read. */
  readonly isChanged?: boolean
}

/**
 * The id of the clinic in the path, which the exchange is about.
 * @throws FhirError 403 for another clinic than one's own, or for staff who want to change it; 404 where an operator names an
 *   unknown one
 */
export async function rehearsedClinic(
  koa: KoaContext,
  repository: Repository,
  { what, isChanged = false }: Wanted,
): Promise<string> {
  const user = userOf(koa)
  const clinic: string = koa.params.clinic
  tellUserAccess(koa, what)
  // The same answer whether the other clinic exists or not: clinics learn nothing of each other.
  if (clinic !== user.clinic) requireOperator(user, `rehearse in another clinic than '${user.clinic}'`)
  if (isChanged && user.role === 'staff')
    throw forbidden(`Only an admin of the clinic or an operator may ${what}; your role is 'staff'`)
  if (!isClinicId(clinic) || (await findSettings(repository, clinic)) === undefined)
    throw notFound('There is no such clinic')
  tellUserAccess(koa, what, { clinic })
  return clinic
}
