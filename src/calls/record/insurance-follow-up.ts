/** The Task for staff after a verification without a result: one for each Coverage, completed by a later result. */
import type { Patient, Task } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { InsuranceResult, InsuranceStatus } from '../../core/ports.ts'
import type { Versioned } from '../../repository/repository.ts'
import { derivedId } from './derived-id.ts'
import type { InsuranceRecord } from './insurance-record.ts'
import { attachedReference, completeStaffTask, upsertStaffTask } from './staff-task.ts'

/** Instructions to staff, by status. With these statuses the caller hears that staff will look into it. */
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
  { status, reason }: InsuranceResult,
  record: InsuranceRecord,
): Promise<readonly Versioned<Task>[]> {
  const description = FOLLOW_UPS[status]
  if (description !== undefined) return [await raise(ctx, call, patient, withReason(description, reason), record)]
  const id = taskOf(record.coverage)
  const completed = await completeStaffTask(ctx, id, `The insurer answered a later verification: ${status}.`)
  return completed === undefined ? [] : [completed]
}

/**
 * Raises or reopens the Task of the Coverage, for a result that arrived after the call.
 * @param call the call that requested the verification
 */
export async function followUpLater(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  { status, reason }: InsuranceResult,
  record: InsuranceRecord,
): Promise<Versioned<Task>> {
  const toDo = FOLLOW_UPS[status] ?? `The insurer has answered: ${status}. Please tell the patient the result.`
  return await raise(ctx, call, patient, withReason(toDo, reason), record)
}

const taskOf = (coverage: string): string => derivedId('insurance-follow-up', coverage)

function raise(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  description: string,
  { coverage, response }: InsuranceRecord,
): Promise<Versioned<Task>> {
  return upsertStaffTask(ctx, call, patient, {
    id: taskOf(coverage),
    code: 'insurance-follow-up',
    priority: 'routine',
    description,
    input: attachedReference('coverage', `Coverage/${coverage}`),
    verification: response.resource,
  })
}

const withReason = (toDo: string, reason: string | undefined): string =>
  reason === undefined ? toDo : `${toDo} Why there is no result: ${reason}.`
