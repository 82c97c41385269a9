/** Calls that have not ended. Each has a record that says how long it may stay silent; see call-end.ts. */
import { type CallSession, callKey } from '../../core/call-session.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'

export const OPEN_CALL = recordKind<OpenCall>('open-call')

export interface OpenCall {
  readonly callId: string
  /** Time of the latest tool call, to within SEEN_WITHIN; milliseconds since 1970 UTC. */
  readonly seen: number
}

/** In demo mode, calls without metadata share one call, so that a first request works; it never ends by itself. */
export const DEFAULT_CALL = 'demo-default-call'

/** The hint in each result of a request that names no call. */
export const DEFAULT_CALL_HINT =
  'This request names no call, so it belongs to the default call of the demo clinic, which all such requests share; send x-call-id, a new id for each call, as it is required outside demo mode'

/** Milliseconds; so that concurrent tool calls seldom write the same record, which would cause a retry. */
const SEEN_WITHIN = 60_000

/** @param idle milliseconds without a tool call after which the call counts as ended */
export async function seeCall(unit: UnitOfWork, { callId }: CallSession, idle: number): Promise<void> {
  if (callId === DEFAULT_CALL) return
  const key = callKey(callId)
  const seen = (await unit.records.read(OPEN_CALL, key))?.value.seen
  if (seen !== undefined && unit.now - seen < SEEN_WITHIN) return
  unit.records.put(OPEN_CALL, key, { callId, seen: unit.now }, { due: unit.now + idle })
}
