/** GET /clinics/{id}/export and POST /clinics/{id}/import: everything that a clinic has, as a file (docs/imports.md). */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { isSandboxEnabled } from '../../clinics/clinics.ts'
import { sandboxIsOff } from '../../http/authenticate.ts'
import type { Repository } from '../../repository/repository.ts'
import { type ImportServices, receiveImport } from './received-import.ts'
import { rehearsedClinic } from './rehearsed-clinic.ts'
import { type ExportServices, sendExport } from './sent-export.ts'

export type TransferServices = ExportServices & ImportServices

/** @param router of the clinics */
export function addTransferRoutes(router: Router, services: TransferServices): void {
  router.get('/:clinic/export', async (koa) => {
    const clinic = await administeredClinic(koa, services.repository, 'export clinic')
    await sendExport(koa, clinic, services)
  })

  router.post('/:clinic/import', async (koa) => {
    const clinic = await administeredClinic(koa, services.repository, 'import into clinic')
    await receiveImport(koa, clinic, services)
  })
}

/** @throws FhirError 403 also for staff, who read resources one by one, and while the sandbox of the clinic is off */
async function administeredClinic(koa: KoaContext, repository: Repository, what: string): Promise<string> {
  const clinic = await rehearsedClinic(koa, repository, { what, isChanged: true })
  if (await isSandboxEnabled(repository, clinic)) return clinic
  throw sandboxIsOff()
}
