/** The routes by which a clinic is rehearsed in. docs/rehearsal.md */
import type { Router } from '@koa/router'
import type { Runs } from '../../rehearsal/runs/runs.ts'
import { addClockRoutes } from './clock.ts'
import { addCloneRoutes, type CloneDependencies } from './clones.ts'
import { addFaultRoutes } from './faults.ts'
import { addGenerationRoutes } from './generations.ts'
import { addPlanRoutes } from './plans.ts'
import { addReportRoutes, type ReportDependencies } from './reports.ts'
import { addRunRoutes } from './runs.ts'
import { addTransferRoutes, type TransferServices } from './transfer.ts'

export type RehearsalServices = CloneDependencies & TransferServices & ReportDependencies & { readonly runs: Runs }

/** @param router of the clinics */
export function addRehearsalRoutes(router: Router, services: RehearsalServices): void {
  addGenerationRoutes(router, services)
  addCloneRoutes(router, services)
  addClockRoutes(router, services.repository)
  addFaultRoutes(router, services.repository)
  addTransferRoutes(router, services)
  addPlanRoutes(router, services)
  addReportRoutes(router, services)
  addRunRoutes(router, services)
}
