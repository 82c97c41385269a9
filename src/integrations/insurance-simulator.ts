/**
 * The insurance-verification system of the sandbox: the result depends on the member id alone.
 * docs/insurance-simulator.md.
 */
import type { InsuranceResult, InsuranceStatus, InsuranceVerification } from '../core/ports.ts'

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

export const insuranceSimulator: InsuranceVerification = {
  verify: async ({ memberId }) => resultFor(memberId.replace(/\s/g, '').toUpperCase()),
}

function resultFor(memberId: string): InsuranceResult {
  const status = statusOf(memberId)
  if (status === 'VERIFIED') return { status, copayCents: copayOf(memberId) }
  if (status === 'PENDING') return { status }
  return { status, errorMessage: MEMBER_ID.test(memberId) ? MESSAGES[status] : NO_MEMBER_ID }
}

function statusOf(memberId: string): InsuranceStatus {
  if (!MEMBER_ID.test(memberId)) return 'INVALID_MEMBER_INFO'
  const prefix = Object.keys(PREFIXES).find((start) => memberId.startsWith(start))
  return (prefix === undefined ? undefined : PREFIXES[prefix]) ?? 'VERIFIED'
}

/** The last two digits are dollars. */
function copayOf(memberId: string): number {
  const dollars = /\d\d$/.exec(memberId)?.[0]
  return dollars === undefined ? DEFAULT_COPAY : Number(dollars) * 100
}
