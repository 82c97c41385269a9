/** A live call: which clinic was dialled, who calls, and which patient it is about. */
import { hash } from 'node:crypto'
import { recordKind } from '../repository/record-kinds.ts'
import type { KindRecord } from '../repository/repository.ts'

export interface CallSession {
  readonly clinic: string
  /** The number of the generation of the clinic's data to which its patient belongs; absent: 0. */
  readonly generation?: number
  readonly callId: string
  /** E.164 where known. */
  readonly dialedNumber?: string
  readonly callerNumber?: string
  /** Set where POST /calls registered the call before its first request: requests need not repeat the caller's number. */
  readonly registeredAhead?: true
  /** Patient.id, once the call has one: registered with the call, found by the caller's number, or its placeholder. */
  readonly patient?: string
  /** Patient.id that the call had before the caller turned out to be somebody else. */
  readonly insteadOf?: string
  /** Patient.ids of the placeholders that the call has made, the latest last. */
  readonly made?: readonly string[]
  /** Patient.id of the placeholder that an earlier call from the number had, when this call made its own. */
  readonly earlierCaller?: string
  /** Task.id of the abandonment that an outbound call is about. */
  readonly abandonment?: string
  /** The patient was a placeholder when the call got it: the caller registers as a new patient. */
  readonly registers?: true
  /** FHIR instant: the call has ended, and takes no more tool calls. */
  readonly endedAt?: string
  /** The reason, as it was reported. */
  readonly endReason?: string
}

/** Kept under the whole service, as a call id is known before its clinic. */
export const CALL = recordKind<CallSession>('call')

/**
 * The call of a record, as long as it is remembered: a call is forgotten when its time is over (CALL_LIFETIME), or when a
 * reset has replaced the data to which its patient belongs.
 * @param generation of the clinic's data, and `now` by its clock
 */
export function rememberedCall(
  record: KindRecord<CallSession> | undefined,
  { generation, now }: { readonly generation: number; readonly now: number },
): CallSession | undefined {
  if (record === undefined || (record.due !== null && record.due <= now)) return undefined
  return (record.value.generation ?? 0) === generation ? record.value : undefined
}

/** Characters. */
export const MAX_CALL_ID_LENGTH = 256

/** Limited to what a header can carry. */
export const isCallId = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MAX_CALL_ID_LENGTH && /^[\x21-\x7e]+$/.test(value)

/** The record's key, of a fixed length whatever the platform uses as ids. */
export const callKey = (callId: string): string => hash('sha256', callId)

/**
 * Milliseconds a session is remembered: longer than any call and than a platform's retries, shorter than it takes a
 * platform to use an id again. An expired one counts as unknown and is overwritten; nothing deletes it earlier.
 */
export const CALL_LIFETIME = 7 * 24 * 3_600_000
