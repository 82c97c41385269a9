/** The ports to systems outside: the clinic's insurance verification and its CRM. */
import type { CrmSettings } from '../clinics/settings.ts'

export const INSURANCE_STATUS = [
  'VERIFIED',
  'PENDING',
  'INACTIVE',
  'NOT_COVERED',
  'MEMBER_NOT_FOUND',
  'INVALID_MEMBER_INFO',
  'PAYER_NOT_SUPPORTED',
  'PAYER_UNAVAILABLE',
  'ERROR',
] as const
export type InsuranceStatus = (typeof INSURANCE_STATUS)[number]

export interface InsuranceQuestion {
  readonly clinic: string
  readonly payerName: string
  readonly memberId: string
  readonly groupId?: string
  readonly subscriberName?: string
}

/** What the verification system said; relayed, never decided here. */
export interface InsuranceAnswer {
  readonly status: InsuranceStatus
  /** Cents. */
  readonly copayCents?: number
  /** Present for every status but VERIFIED and PENDING. */
  readonly errorMessage?: string
}

export interface InsuranceVerification {
  /** Answers within its own deadline; a failure of the system is a status, not an exception. */
  verify(question: InsuranceQuestion): Promise<InsuranceAnswer>
}

/** A contact as the CRM gets it; also the body of an outbox record. */
export interface CrmContact {
  readonly clinic: string
  readonly patient: string
  readonly event: 'intake.submitted'
  /** Unique per delivery; the receiver may use it to drop repeats. */
  readonly messageId: string
  readonly fields: Readonly<Record<string, string>>
}

export type Delivery =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly retry: boolean; readonly reason: string; readonly retryAfterMs?: number }

export interface CrmConnector {
  /** One try, within its own deadline; never throws. */
  deliver(settings: CrmSettings, contact: CrmContact): Promise<Delivery>
}

export interface Integrations {
  readonly insurance: InsuranceVerification
  readonly crm: CrmConnector
}
