/** TestReports in the data of a clinic, with the TestScripts that they refer to; searched like any other resource. */
import type { ClinicAccess, Context } from '../../core/context.ts'
import { ensureResources, type ShippedResource, stageResources } from '../../core/shipped.ts'
import type { Plan } from '../plans/plan.ts'
import { testScriptOf, testScriptsOf } from '../plans/test-script.ts'
import type { RunRecord } from '../runs/run.ts'
import { testReportOf } from './test-report.ts'

/** Stages the TestReport of a run that is finished; the TestScript of its plan is there, unless somebody has deleted it. */
export async function stageReport({ unit }: Pick<Context, 'unit'>, { plan, report }: RunRecord): Promise<void> {
  if (report === undefined) return
  const script = await unit.read('TestScript', plan.plan)
  const missing = script === undefined || script.deleted ? [testScriptOf(plan)] : []
  await stageResources(unit, [...missing, testReportOf(report)])
}

/**
 * Writes those of all finished runs, which outlast a reset, into data that were filled anew.
 * @param listed the plans that there are, whose TestScripts are written too
 */
export const ensureReports = (
  target: ClinicAccess,
  records: AsyncIterable<RunRecord>,
  listed: readonly Plan[],
): Promise<void> => ensureResources(target, resourcesOf(records, listed))

async function* resourcesOf(
  records: AsyncIterable<RunRecord>,
  listed: readonly Plan[],
): AsyncGenerator<ShippedResource> {
  /** As its newest run had it. */
  const retired = new Map<string, RunRecord>()
  const names = new Set(listed.map(({ plan }) => plan))
  for await (const record of records) {
    const { plan, startedAt, report } = record
    if (report !== undefined) yield testReportOf(report)
    const isNewest = (retired.get(plan.plan)?.startedAt ?? 0) <= startedAt
    if (isNewest && !names.has(plan.plan)) retired.set(plan.plan, record)
  }
  yield* testScriptsOf(listed)
  for (const { plan } of retired.values()) yield testScriptOf(plan, 'retired')
}
