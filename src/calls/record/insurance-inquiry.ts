/**
 * A pending inquiry at the verification system, after the caller has had PENDING. There is one for each Coverage; a
 * later verification of the same insurer and member id replaces it.
 */
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { InsuranceResult } from '../../core/ports.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { InsuranceCard, InsuranceRecord } from './insurance-record.ts'

export interface InsuranceInquiry {
  readonly card: InsuranceCard
  readonly idempotencyKey: string
  /** CoverageEligibilityResponse.id of the queued response. */
  readonly response: string
  /** The live call that requested it, for the Task. */
  readonly call?: CallSession
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

/** Stages the end of the Coverage's inquiry if that call made it. */
export async function endInquiry({ unit: { records } }: Context, call: CallSession, coverage: string): Promise<void> {
  const inquiry = await records.read(INQUIRY, coverage)
  if (inquiry?.value.call?.callId === call.callId) records.delete(INQUIRY, coverage)
}
