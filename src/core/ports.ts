/** The ports to systems outside: the clinic's insurance verification, its CRM and its messaging service. */
import type { CrmSettings } from '../clinics/crm-settings.ts'
import type { InsuranceSettings } from '../clinics/insurance-settings.ts'
import type { WebhookSettings } from '../clinics/webhook-settings.ts'

export const INSURANCE_STATUSES = [
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
export type InsuranceStatus = (typeof INSURANCE_STATUSES)[number]

export interface InsuranceRequest {
  readonly clinic: string
  readonly payerName: string
  readonly memberId: string
  readonly groupId?: string
  readonly subscriberName?: string
}

/** What the verification system reports; it is relayed, nothing is decided here. */
export interface InsuranceResult {
  readonly status: InsuranceStatus
  /** Cents. */
  readonly copayCents?: number
  /** Present for every status but VERIFIED and PENDING. */
  readonly errorMessage?: string
  /** For staff, where the system gave no result: why, in words of ours and never in those of the system. */
  readonly reason?: string
  /** The system gave no result, and may give one when it is asked again, after so many milliseconds at the earliest. */
  readonly again?: { readonly afterMs: number }
}

/** How the system of a clinic is asked. */
export interface InsuranceExchange {
  /** Absent: the clinic has set none. */
  readonly settings: InsuranceSettings | undefined
  /** The same whenever the same is asked again: a repeated tool call, and what is asked later for a result. */
  readonly idempotencyKey: string
  /** Milliseconds, in place of those of the settings: nobody is on the line. */
  readonly deadlineMs?: number
  /** Aborted when the answer is of no use any more. */
  readonly signal?: AbortSignal
}

export interface InsuranceVerification {
  /** Resolves within its deadline; a failure of the system is a status, not an exception. */
  verify(request: InsuranceRequest, exchange: InsuranceExchange): Promise<InsuranceResult>
}

/** A contact as the CRM receives it; also kept in the outbox until it is delivered. */
export interface CrmContact {
  readonly clinic: string
  readonly patient: string
  readonly event: 'intake.submitted'
  /** Unique per delivery; the receiver may use it to drop repeats. */
  readonly messageId: string
  readonly fields: Readonly<Record<string, string>>
}

/** A text message or an e-mail for a person, as the messaging service receives it; also kept in the outbox until then. */
export interface OutboundMessage {
  readonly clinic: string
  /** Patient.id of whom it is about. */
  readonly patient?: string
  /** Task.id of the abandonment that it goes on with; once that is closed, the message is not sent any more. */
  readonly abandonment?: string
  readonly event: 'message.requested'
  /** Unique per message; the receiver may use it to drop repeats. */
  readonly messageId: string
  readonly channel: 'sms' | 'email'
  /** A phone number in E.164, or an e-mail address. */
  readonly to: string
  readonly text: string
  /** An address that the text offers. */
  readonly link?: string
  /** FHIR instant; from then on the message is not sent any more. */
  readonly expiresAt?: string
}

export type Delivery =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly retry: boolean; readonly reason: string; readonly retryAfterMs?: number }

export interface CrmConnector {
  /** One try, within its own deadline; never throws. */
  deliver(settings: CrmSettings, contact: CrmContact): Promise<Delivery>
}

export interface MessageConnector {
  /** One try, within its own deadline; never throws. */
  deliver(settings: WebhookSettings, message: OutboundMessage): Promise<Delivery>
}

export interface Integrations {
  readonly insurance: InsuranceVerification
  readonly crm: CrmConnector
  readonly messages: MessageConnector
}
