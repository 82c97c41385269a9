/** Records that belong to a call, and end when it does. They are kept under its clinic, so no other clinic reads them. */
import { CALL, CALL_LIFETIME, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { RecordKind } from '../../repository/record-kinds.ts'

/** Undefined where the call has none. What an earlier call of the same id has left counts as none. */
export async function readOfCall<Value>(
  ctx: Context,
  kind: RecordKind<Value>,
  { callId }: CallSession,
): Promise<Value | undefined> {
  const record = await ctx.unit.records.read(kind, callKey(callId))
  return record?.due == null || record.due <= ctx.now ? undefined : record.value
}

/** To be read first: of two changes at the same time one then meets a conflict, and runs again. */
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
