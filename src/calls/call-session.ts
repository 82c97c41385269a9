/** A live call the server knows: which clinic was dialled, who calls, and which patient it is about. */
export interface CallSession {
  readonly clinic: string
  readonly callId: string
  /** E.164 where known. */
  readonly dialedNumber?: string
  readonly callerNumber?: string
  /** Patient.id, once the call has one: registered with the call, found by the caller's number, or its placeholder. */
  readonly patient?: string
}
