/** Live calls by name. */

/** In demo mode the call of all requests that name none (docs/live-calls.md). */
const DEFAULT_CALL = 'demo-default-call'

const DEFAULT_CALL_NOTE =
  'Requests that name no call belong to this one, which they all share. Send x-call-id, a new id for each call.'

export const callName = (call: string): string => (call === DEFAULT_CALL ? 'Default call' : call)

/** For a text that does not say otherwise that a call is meant. */
export const callText = (call: string): string => (call === DEFAULT_CALL ? callName(call) : `call ${call}`)

/** The explanation of a name that is not the id of the call. */
export const callNote = (call: string | undefined): string | undefined =>
  call === DEFAULT_CALL ? DEFAULT_CALL_NOTE : undefined
