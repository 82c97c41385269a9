/** Adds outputs to the Task of an abandonment, with the Provenance of the call. */
import type { Patient, Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { type Abandonment, withOutput } from '../record/abandonment.ts'
import { recordCall } from '../record/call-record.ts'

/**
 * @param outputs code and text of each
 * @param status the new status of the Task; absent: in progress
 */
export async function noteOutput(
  ctx: Context,
  { call }: OperationRequest,
  { task, patient }: Abandonment,
  outputs: readonly (readonly [code: string, text: string])[],
  activity: string,
  status?: Task['status'],
): Promise<void> {
  const noted = outputs.reduce((next, [code, text]) => withOutput(next, code, text), task.resource)
  const saved = await ctx.update<Task>({ ...noted, ...(status === undefined ? {} : { status }) })
  await recordCall(ctx, call, await ctx.read<Patient>('Patient', patient), { activity, written: [saved] })
}
