/** The ports to external systems: the clinic's insurance verification, its CRM and its messaging service. */
import type { CrmSettings } from '../clinics/crm-settings.ts'
import type { InsuranceSettings } from '../clinics/insurance-settings.ts'
import type { JournalMode } from '../clinics/settings.ts'
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
  /** `self`: the patient. */
  readonly subscriberName?: string
}

/** The result of the verification system; it is relayed without any decision here. */
export interface InsuranceResult {
  readonly status: InsuranceStatus
  /** Cents. */
  readonly copayCents?: number
  /** Present for every status but VERIFIED and PENDING. */
  readonly errorMessage?: string
  /** For staff: why the system gave no result, in this server's words and never in those of the system. */
  readonly reason?: string
  /** The system gave no result, but may give one after so many milliseconds at the earliest. */
  readonly again?: { readonly afterMs: number }
}

/** Parameters of a request to the system of a clinic. */
export interface InsuranceExchange {
  /** Absent: the clinic has none. */
  readonly settings: InsuranceSettings | undefined
  /** The same for repeats of a request: a repeated tool call, and later inquiries for its result. */
  readonly idempotencyKey: string
  /** Milliseconds, in place of those of the settings: no caller waits. */
  readonly deadlineMs?: number
  /** Aborted when the result is no longer of use. */
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

/** A text message or an e-mail, as the messaging service receives it; also kept in the outbox until it is delivered. */
export interface OutboundMessage {
  readonly clinic: string
  /** Patient.id of the patient it is about. */
  readonly patient?: string
  /** Task.id of the abandonment that it follows up; once that is closed, the message is no longer sent. */
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
  /** FHIR instant; from then on the message is no longer sent. */
  readonly expiresAt?: string
}

export type Delivery =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly retry: boolean; readonly reason: string; readonly retryAfterMs?: number }

/** Called with the id of each exchange of an attempt, as the journal has it. */
export type TellExchange = (id: string) => void

export interface CrmConnector {
  /** One attempt, within its own deadline; never throws. */
  deliver(settings: CrmSettings, contact: CrmContact, tell?: TellExchange): Promise<Delivery>
}

export interface MessageConnector {
  /** One attempt, within its own deadline; never throws. */
  deliver(settings: WebhookSettings, message: OutboundMessage, tell?: TellExchange): Promise<Delivery>
}

export interface Integrations {
  readonly insurance: InsuranceVerification
  readonly crm: CrmConnector
  readonly messages: MessageConnector
  /** How much the journal keeps of clinics that have not set it; absent: nothing. */
  readonly journal?: JournalMode
  /** Addresses below which operators allow imports from; absent: there are none. */
  readonly importSources?: readonly string[]
}
