/** The call that holds a placeholder: no other call may use it until that one ends. */
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'

interface PlaceholderHolder {
  /** The latest call; absent: the placeholder was created with an abandonment, and no call has held it. */
  readonly callId?: string
}

const HOLDER = recordKind<PlaceholderHolder>('placeholder-holder')

/**
 * Two calls that take a placeholder concurrently conflict here, and one of them is retried.
 * @param patient Patient.id
 * @param call absent: for an abandonment
 */
export async function holdPlaceholder(ctx: Context, patient: string, call?: CallSession): Promise<void> {
  const holder = await ctx.unit.records.read(HOLDER, patient)
  if (holder !== undefined && holder.value.callId === call?.callId) return
  ctx.unit.records.put(HOLDER, patient, call === undefined ? {} : { callId: call.callId })
}

/** True if a call or an abandonment created it, or a call held it. */
export const wasHeld = async ({ unit: { records } }: Context, patient: string): Promise<boolean> =>
  (await records.read(HOLDER, patient)) !== undefined

/** True if a call other than this one holds it and has not ended. */
export async function isHeldByOther(ctx: Context, patient: string, call: CallSession): Promise<boolean> {
  const holder = (await ctx.unit.records.read(HOLDER, patient))?.value.callId
  if (holder === undefined || holder === call.callId) return false
  const session = await ctx.unit.records.read(CALL, callKey(holder))
  return session?.due != null && session.due > ctx.now && session.value.endedAt === undefined
}
