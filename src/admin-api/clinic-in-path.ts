/** The clinic in the path of a request: that of the user, or any for an operator. */
import type { Context as KoaContext } from 'koa'
import { isClinicId } from '../clinics/clinics.ts'
import { findVersionedSettings, type VersionedSettings } from '../clinics/settings.ts'
import { notFound } from '../fhir/outcome.ts'
import { requireOperator } from '../http/authenticate.ts'
import { userOf } from '../http/exchange.ts'
import type { Repository } from '../repository/repository.ts'

/**
 * @param what the user wants, without saying in which clinic: `configure`
 * @throws FhirError 403 when it is not the user's, 404 when there is none
 */
export async function clinicInPath(
  koa: KoaContext,
  repository: Repository,
  what: string,
): Promise<VersionedSettings & { readonly clinic: string }> {
  const user = userOf(koa)
  const clinic: string = koa.params.clinic
  // The same answer whether the other clinic exists or not: clinics learn nothing of each other.
  if (clinic !== user.clinic) requireOperator(user, `${what} another clinic than '${user.clinic}'`)
  const found = isClinicId(clinic) ? await findVersionedSettings(repository, clinic) : undefined
  if (found === undefined) throw notFound('There is no such clinic')
  return { clinic, ...found }
}
