/** A submitted insurance card, and the result of its verification, on the record of a patient. */
import type { CoverageEligibilityResponse, Patient } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { followUp } from './insurance-follow-up.ts'
import { type AskedInsurance, stageInquiry } from './insurance-inquiry.ts'
import { writeInsurance } from './insurance-record.ts'

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
