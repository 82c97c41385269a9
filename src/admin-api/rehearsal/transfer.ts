/** GET /clinics/{id}/export and POST /clinics/{id}/import: everything that a clinic has, as a file (docs/imports.md). */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { clinicFacts, isClinicId } from '../../clinics/clinics.ts'
import { notFound } from '../../fhir/outcome.ts'
import { forbidden, requireOperator, sandboxIsOff } from '../../http/authenticate.ts'
import { tellUserAccess, userOf } from '../../http/exchange.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { type ImportServices, receiveImport } from './received-import.ts'
import { type ExportServices, sendExport } from './sent-export.ts'

export type TransferServices = ExportServices & ImportServices

/** @param router of the clinics */
export function addTransferRoutes(router: Router, services: TransferServices): void {
  router.get('/:clinic/export', async (koa) => {
    const clinic = await administered(koa, services.repository, 'export')
    await sendExport(koa, clinic, services)
  })

  router.post('/:clinic/import', async (koa) => {
    const clinic = await administered(koa, services.repository, 'import')
    await receiveImport(koa, clinic, services)
  })
}

/**
 * The clinic in the path.
 * @throws FhirError 403 for staff, for another clinic than one's own unless the user is an operator, and while the sandbox
 *   is off; 404 where an operator names an unknown one
 */
async function administered(koa: KoaContext, repository: Repository, what: 'export' | 'import'): Promise<string> {
  const user = userOf(koa)
  const clinic: string = koa.params.clinic
  tellUserAccess(koa, what, user.role === 'operator' ? { clinic: SERVICE, leastRole: 'operator' } : {})
  if (user.role === 'staff') {
    throw forbidden(`Only an admin of the clinic or an operator may ${what} its data; your role is 'staff'`)
  }
  // The same answer whether the other clinic exists or not.
  if (clinic !== user.clinic) requireOperator(user, `${what} the data of another clinic than '${user.clinic}'`)
  const facts = isClinicId(clinic) ? await clinicFacts(repository, clinic) : undefined
  if (facts === undefined) throw notFound('There is no such clinic')
  tellUserAccess(koa, what, { clinic, leastRole: 'admin' })
  if (!facts.isSandboxEnabled) throw sandboxIsOff()
  return clinic
}
