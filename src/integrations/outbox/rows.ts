/** The rows of the outbox: messages for external systems, their progress, and when they are tried again. */
import { randomUUID } from 'node:crypto'
import type { CallSession } from '../../core/call-session.ts'
import type { CrmContact, OutboundMessage } from '../../core/ports.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { KindRecord, UnitOfWork } from '../../repository/repository.ts'

export const OUTBOX = recordKind<OutboxRow>('outbox')

/** A contact for the clinic's CRM, or a message to a person, which goes to the clinic's messaging service. */
export type Outgoing =
  | { readonly contact: CrmContact; readonly message?: undefined }
  | { readonly message: OutboundMessage; readonly contact?: undefined }

export type OutboxRow = Outgoing & {
  /** The live call that caused it, for the Task. */
  readonly call?: CallSession
  readonly state: 'waiting' | 'dead'
  /** Tries begun. */
  readonly tries: number
  /** Milliseconds since 1970 UTC; absent in rows of older versions. */
  readonly stagedAt?: number
  /** Milliseconds since 1970 UTC: a try that fails later is the last one. */
  readonly tryUntil?: number
  /** Task.id, once a try has failed. */
  readonly task?: string
  /** Why the last try failed; never holds patient data. */
  readonly reason?: string
}

/** A row with the version by which a try holds it. */
export type StoredRow = Pick<KindRecord<OutboxRow>, 'value' | 'version'>

export const readRow = (unit: UnitOfWork, messageId: string): Promise<KindRecord<OutboxRow> | undefined> =>
  unit.records.read(OUTBOX, messageId)

export const messageIdOf = (row: Outgoing): string => (row.contact ?? row.message).messageId

/** Patient.id of the patient it is about, where that is known. */
export const patientOf = (row: Outgoing): string | undefined => (row.contact ?? row.message).patient

/** Later than any time that there will be, in milliseconds. */
const END = 2 ** 48 - 1

/**
 * A message id that no other delivery has. Rows are listed by it, so a later one is smaller: the newest come first.
 * @param now milliseconds since 1970 UTC
 */
export const newMessageId = (now: number): string => `${(END - now).toString(16).padStart(12, '0')}-${randomUUID()}`

/** Milliseconds a try may take before another process may take the row over; longer than any connector's deadline. */
export const LEASE = 30_000
/** Tries before a row is given up: with the waits below about a day and a half. */
export const MAX_TRIES = 16
/** Milliseconds for which a row is tried, be it that it waits behind others for most of them. */
export const TRY_FOR = 48 * 3_600_000
/** Milliseconds before the second try; doubled for each later one. */
const FIRST_WAIT = 30_000
const MAX_WAIT = 6 * 3_600_000

/** Milliseconds until the next try: doubled each time, at least what the other side asks for, six hours at most. */
export const waitAfter = (tries: number, retryAfterMs = 0): number =>
  Math.min(MAX_WAIT, Math.max(FIRST_WAIT * 2 ** (tries - 1), retryAfterMs))
