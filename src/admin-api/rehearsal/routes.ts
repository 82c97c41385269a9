/** The routes by which a clinic is rehearsed in. docs/rehearsal.md */
import type { Router } from '@koa/router'
import { addClockRoutes } from './clock.ts'
import { addCloneRoutes, type CloneDependencies } from './clones.ts'
import { addFaultRoutes } from './faults.ts'
import { addGenerationRoutes } from './generations.ts'
import { addTransferRoutes, type TransferServices } from './transfer.ts'

export type RehearsalServices = CloneDependencies & TransferServices

/** @param router of the clinics */
export function addRehearsalRoutes(router: Router, services: RehearsalServices): void {
  addGenerationRoutes(router, services)
  addCloneRoutes(router, services)
  addClockRoutes(router, services.repository)
  addFaultRoutes(router, services.repository)
  addTransferRoutes(router, services)
}
