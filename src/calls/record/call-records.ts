/**
 * Records that belong to a call, and end with it. They are stored under its clinic, so no other clinic can read them.
 */
import { CALL, CALL_LIFETIME, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { RecordKind } from '../../repository/record-kinds.ts'

/** Returns undefined if the call has none. Records of an earlier call with the same id are ignored. */
export async function readOfCall<Value>(
  ctx: Context,
  kind: RecordKind<Value>,
  { callId }: CallSession,
): Promise<Value | undefined> {
  const record = await ctx.unit.records.read(kind, callKey(callId))
  return record?.due == null || record.due <= ctx.now ? undefined : record.value
}

/** The record must be read before: of two concurrent changes one then gets a conflict, and is retried. */
export async function putOfCall<Value>(
  ctx: Context,
  kind: RecordKind<Value>,
  { callId }: CallSession,
  value: Value,
): Promise<void> {
  const key = callKey(callId)
  const due = (await ctx.unit.records.read(CALL, key))?.due ?? ctx.now + CALL_LIFETIME
  ctx.unit.records.put(kind, key, value, { due })
}
