/** The clinic of a request about its rehearsal: that of the user, or any for an operator. */
import type { Context as KoaContext } from 'koa'
import { forbidden } from '../../http/authenticate.ts'
import { tellUserAccess, userOf } from '../../http/exchange.ts'
import type { Repository } from '../../repository/repository.ts'
import { clinicInPath } from '../clinic-in-path.ts'

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
  tellUserAccess(koa, what)
  const { clinic } = await clinicInPath(koa, repository, 'rehearse in')
  if (isChanged && userOf(koa).role === 'staff')
    throw forbidden(`Only an admin of the clinic or an operator may do this ('${what}'); your role is 'staff'`)
  tellUserAccess(koa, what, { clinic })
  return clinic
}
