/** TestReports and TestScripts in the data of a clinic, where they are searched like any other resource. */
import type { ClinicAccess, Context } from '../../core/context.ts'
import { ensureResources, type ShippedResource, stageResources } from '../../core/shipped.ts'
import type { RunRecord } from '../runs/run.ts'
import { testReportOf } from './test-report.ts'
import { testScriptOf } from './test-script.ts'

/** Stages the TestReport of a run that is finished, and the TestScript of its plan. */
export async function stageReport({ unit }: Pick<Context, 'unit'>, { plan, report }: RunRecord): Promise<void> {
  if (report !== undefined) await stageResources(unit, [testScriptOf(plan), testReportOf(report)])
}

/** Writes those of all finished runs, which outlast a reset, into data that were filled anew. */
export const ensureReports = (target: ClinicAccess, records: AsyncIterable<RunRecord>): Promise<void> =>
  ensureResources(target, resourcesOf(records))

async function* resourcesOf(records: AsyncIterable<RunRecord>): AsyncGenerator<ShippedResource> {
  /** The newest run of each plan, as a plan may have changed. */
  const newest = new Map<string, RunRecord>()
  for await (const record of records) {
    const { plan, startedAt, report } = record
    if (report !== undefined) yield testReportOf(report)
    if ((newest.get(plan.plan)?.startedAt ?? 0) <= startedAt) newest.set(plan.plan, record)
  }
  for (const { plan } of newest.values()) yield testScriptOf(plan)
}
