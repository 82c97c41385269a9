/**
 * A submitted insurance card on the record of a patient: the result of its verification; the pending inquiry at the
 * verification system after the caller has had PENDING, one for each Coverage; and the Task for staff after a verification
 * without a result, one for each Coverage, completed by a later result.
 */
import type { CoverageEligibilityResponse, Patient, Task } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { InsuranceResult, InsuranceStatus } from '../../core/ports.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { present } from '../../fhir/resource.ts'
import { currentBudget } from '../../isolation/budget.ts'
import type { TraceContext } from '../../isolation/trace-context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { type InsuranceCard, type InsuranceRecord, writeInsurance } from './coverage.ts'
import { attachedReference, completeStaffTask, upsertStaffTask } from './staff-task.ts'

export interface InsuranceInquiry {
  readonly card: InsuranceCard
  readonly idempotencyKey: string
  /** CoverageEligibilityResponse.id of the queued response. */
  readonly response: string
  /** The live call that requested it, for the Task. */
  readonly call?: CallSession
  /** The span in which it was staged. */
  readonly trace?: TraceContext
  /** True if the clinic's own system was asked; the simulator then never takes over. */
  readonly ofClinic: boolean
  /** Number of requests so far. */
  readonly tries: number
  /** Milliseconds since 1970 UTC; the first try after that is the last. */
  readonly tryUntil: number
}

export const INQUIRY = recordKind<InsuranceInquiry>('insurance-inquiry')

/** How long a result is requested, in milliseconds. */
export const ASK_FOR = 24 * 3_600_000
/** Milliseconds until the next request after PENDING, unless the system states a time. */
const FIRST_WAIT = 60_000

/** A request to a verification system, with its first result. */
export type AskedInsurance = Pick<InsuranceInquiry, 'card' | 'idempotencyKey' | 'ofClinic'> & {
  readonly result: InsuranceResult
}

/** Stages an inquiry if the result is pending, and ends any other inquiry of the Coverage. */
async function stageInquiry(
  ctx: Context,
  call: CallSession | undefined,
  { card, idempotencyKey, ofClinic, result }: AskedInsurance,
  { coverage, response }: InsuranceRecord,
): Promise<void> {
  const { records } = ctx.unit
  const earlier = await records.read(INQUIRY, coverage)
  if (result.status !== 'PENDING') {
    if (earlier !== undefined) records.delete(INQUIRY, coverage)
    return
  }
  const inquiry: InsuranceInquiry = {
    card,
    idempotencyKey,
    response: response.id,
    ...present({ call, trace: currentBudget()?.trace }),
    ofClinic,
    tries: 1,
    tryUntil: ctx.now + ASK_FOR,
  }
  records.put(INQUIRY, coverage, inquiry, { due: ctx.now + (result.again?.afterMs ?? FIRST_WAIT) })
}

/** Stages the end of the Coverage's inquiry if that call made it. */
export async function endInquiry({ unit: { records } }: Context, call: CallSession, coverage: string): Promise<void> {
  const inquiry = await records.read(INQUIRY, coverage)
  if (inquiry?.value.call?.callId === call.callId) records.delete(INQUIRY, coverage)
}

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
  const completed = await completeStaffTask(ctx, id, `The insurer responded to a later verification: ${status}.`)
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
  const toDo = FOLLOW_UPS[status] ?? `The insurer has responded: ${status}. Please tell the patient the result.`
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
