/**
 * What is still asked of a verification system after the caller has had PENDING: one inquiry for each Coverage, so that a
 * later verification of the same insurer and member id takes its place.
 */
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { InsuranceResult } from '../../core/ports.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { InsuranceCard, InsuranceRecord } from './insurance-record.ts'

export interface InsuranceInquiry {
  readonly card: InsuranceCard
  readonly idempotencyKey: string
  /** CoverageEligibilityResponse.id of the one that is queued. */
  readonly response: string
  /** The live call it comes from, for the Task. */
  readonly call?: CallSession
  /** The clinic's own system was asked: the simulator never answers for it. */
  readonly ofClinic: boolean
  /** Times that it was asked. */
  readonly tries: number
  /** Milliseconds since 1970 UTC: a try after that is the last one. */
  readonly tryUntil: number
}

export const INQUIRY = recordKind<InsuranceInquiry>('insurance-inquiry')

/** Milliseconds for which a result is asked for. */
export const ASK_FOR = 24 * 3_600_000
/** Milliseconds until a system that has said PENDING is asked again, unless it says when. */
const FIRST_WAIT = 60_000

/** What a verification system was asked, and its first answer. */
export type AskedInsurance = Pick<InsuranceInquiry, 'card' | 'idempotencyKey' | 'ofClinic'> & {
  readonly result: InsuranceResult
}

/** Stages the inquiry for a result that is pending, and the end of any other inquiry of the Coverage. */
export async function stageInquiry(
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
    ...(call === undefined ? {} : { call }),
    ofClinic,
    tries: 1,
    tryUntil: ctx.now + ASK_FOR,
  }
  records.put(INQUIRY, coverage, inquiry, { due: ctx.now + (result.again?.afterMs ?? FIRST_WAIT) })
}

/** Stages the end of the inquiry of the Coverage, where it is of that call. */
export async function endInquiry({ unit: { records } }: Context, call: CallSession, coverage: string): Promise<void> {
  const inquiry = await records.read(INQUIRY, coverage)
  if (inquiry?.value.call?.callId === call.callId) records.delete(INQUIRY, coverage)
}
