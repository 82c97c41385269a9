/**
 * The simulator of insurance verification: the member id decides the result. docs/simulators.md
 */
import type { InsuranceRequest, InsuranceResult, InsuranceStatus, InsuranceVerification } from '../../core/ports.ts'

type Refusal = Exclude<InsuranceStatus, 'VERIFIED' | 'PENDING'>

const MESSAGES: Readonly<Record<Refusal, string>> = {
  INACTIVE: 'The policy is no longer active',
  NOT_COVERED: 'The plan does not cover this clinic',
  MEMBER_NOT_FOUND: 'The payer knows no member with this id',
  INVALID_MEMBER_INFO: 'The payer does not accept this member id',
  PAYER_NOT_SUPPORTED: 'The payer does not take part in electronic verification',
  PAYER_UNAVAILABLE: 'The payer cannot be reached at the moment',
  ERROR: 'The verification failed for a technical reason',
}

const MEMBER_ID = /^[A-Z\d-]{4,30}$/
const NO_MEMBER_ID = 'The member id is not one: it has 4 to 30 letters, digits and dashes'

/** The beginning of a member id decides the status; any other well-formed id is verified. */
const PREFIXES: Readonly<Record<string, InsuranceStatus>> = {
  PEND: 'PENDING',
  INACT: 'INACTIVE',
  NOCOV: 'NOT_COVERED',
  NOTFOUND: 'MEMBER_NOT_FOUND',
  INVALID: 'INVALID_MEMBER_INFO',
  NOPAYER: 'PAYER_NOT_SUPPORTED',
  DOWN: 'PAYER_UNAVAILABLE',
  FAIL: 'ERROR',
}

/** Cents, for a member id that does not end in two digits. */
const DEFAULT_COPAY = 2500

/** The beginning of a member id whose response is slow; the rest of the id decides the result. */
const SLOW = /^SLOW-?/
/** Milliseconds; longer than a caller waits. */
const SLOW_ANSWER = 6_000

/**
 * The result of the simulator, which depends on the member id alone, and the milliseconds after which it is sent.
 * docs/simulators.md
 * @param spoken the member id in any case, with or without spaces
 */
export function simulated(spoken: string): { readonly result: InsuranceResult; readonly afterMs: number } {
  const memberId = spoken.replace(/\s/g, '').toUpperCase()
  const isSlow = MEMBER_ID.test(memberId) && SLOW.test(memberId)
  return { result: resultFor(memberId), afterMs: isSlow ? SLOW_ANSWER : 0 }
}

/** Without any delay. */
export const insuranceSimulator = {
  verify: async ({ memberId }: InsuranceRequest) => simulated(memberId).result,
} satisfies InsuranceVerification

function resultFor(memberId: string): InsuranceResult {
  const status = statusOf(memberId)
  if (status === 'VERIFIED') return { status, copayCents: copayOf(memberId) }
  if (status === 'PENDING') return { status }
  return { status, errorMessage: MEMBER_ID.test(memberId) ? MESSAGES[status] : NO_MEMBER_ID }
}

function statusOf(memberId: string): InsuranceStatus {
  if (!MEMBER_ID.test(memberId)) return 'INVALID_MEMBER_INFO'
  const deciding = memberId.replace(SLOW, '')
  const prefix = Object.keys(PREFIXES).find((start) => deciding.startsWith(start))
  return (prefix === undefined ? undefined : PREFIXES[prefix]) ?? 'VERIFIED'
}

/** The last two digits are dollars. */
function copayOf(memberId: string): number {
  const dollars = /\d\d$/.exec(memberId)?.[0]
  return dollars === undefined ? DEFAULT_COPAY : Number(dollars) * 100
}
