/**
 * A submitted insurance card, and the result of its verification, on the record of a patient; and the Task for staff
 * after a verification without a result: one for each Coverage, completed by a later result.
 */
import type { CoverageEligibilityResponse, Patient, Task } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { InsuranceResult, InsuranceStatus } from '../../core/ports.ts'
import { derivedId } from '../../fhir/new-id.ts'
import type { Versioned } from '../../repository/repository.ts'
import { type AskedInsurance, stageInquiry } from './insurance-inquiry.ts'
import { type InsuranceRecord, writeInsurance } from './insurance-record.ts'
import { attachedReference, completeStaffTask, upsertStaffTask } from './staff-task.ts'

export interface SubmittedInsurance {
  readonly asked: AskedInsurance
  /** Coverage.id */
  readonly coverage: string
}

interface RecordedInsurance extends SubmittedInsurance {
  readonly response: Versioned<CoverageEligibilityResponse>
  readonly written: readonly Versioned[]
}

/** Stages the result, the Task for staff, and the inquiry for a pending result. */
export async function recordInsurance(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  asked: AskedInsurance,
): Promise<RecordedInsurance> {
  const record = await writeInsurance(ctx, patient, asked.card, asked.result)
  const tasks = await followUp(ctx, call, patient, asked.result, record)
  await stageInquiry(ctx, call, asked, record)
  return { asked, coverage: record.coverage, response: record.response, written: [...record.written, ...tasks] }
}

/** Instructions to staff, by status. With these statuses the caller hears that staff will look into it. */
const FOLLOW_UPS: Partial<Readonly<Record<InsuranceStatus, string>>> = {
  PENDING: 'The insurance is being verified. Please tell the patient the result.',
  PAYER_NOT_SUPPORTED: 'The insurer takes no electronic verification. Please verify the insurance by hand.',
  PAYER_UNAVAILABLE: 'The insurer could not be reached. Please verify the insurance again.',
  ERROR: 'The insurance could not be verified for a technical reason. Please verify it again.',
}

/** Raises, updates or completes the Task of the Coverage. @returns the Task written, if any */
async function followUp(
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
