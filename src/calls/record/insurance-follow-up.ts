/**
 * What staff have to do after a verification without a result: one Task for each Coverage, which a later result
 * completes.
 */
import type { Patient, Task } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { InsuranceStatus } from '../../core/ports.ts'
import type { Versioned } from '../../repository/repository.ts'
import { derivedId } from './derived-id.ts'
import type { InsuranceRecord } from './insurance-record.ts'
import { attached, completeStaffTask, upsertStaffTask } from './staff-task.ts'

/** For the statuses after which the caller is told that staff will look into it. */
const FOLLOW_UPS: Partial<Readonly<Record<InsuranceStatus, string>>> = {
  PENDING: 'The insurance is being verified. Please tell the patient the result.',
  PAYER_NOT_SUPPORTED: 'The insurer takes no electronic verification. Please verify the insurance by hand.',
  PAYER_UNAVAILABLE: 'The insurer could not be reached. Please verify the insurance again.',
  ERROR: 'The insurance could not be verified for a technical reason. Please verify it again.',
}

/** Raises, updates or completes the Task of the Coverage. @returns the Task written, if any */
export async function followUp(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  status: InsuranceStatus,
  { coverage, response }: InsuranceRecord,
): Promise<readonly Versioned<Task>[]> {
  const id = derivedId('insurance-follow-up', coverage)
  const description = FOLLOW_UPS[status]
  if (description !== undefined) {
    const input = attached('coverage', { valueReference: { reference: `Coverage/${coverage}` } })
    const verification = response.resource
    const task = { id, code: 'insurance-follow-up', priority: 'routine', description, input, verification } as const
    return [await upsertStaffTask(ctx, call, patient, task)]
  }
  const completed = await completeStaffTask(ctx, id, `The insurer answered a later verification: ${status}.`)
  return completed === undefined ? [] : [completed]
}
