/** The call that has a placeholder: no other call is given it while that one goes on. */
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'

interface PlaceholderHolder {
  /** The latest call; absent: it was made with an abandonment, and no call has had it. */
  readonly callId?: string
}

const HOLDER = recordKind<PlaceholderHolder>('placeholder-holder')

/**
 * Two calls that take a placeholder at the same time conflict here, and one of them runs again.
 * @param patient Patient.id
 * @param call absent: for an abandonment
 */
export async function holdPlaceholder(ctx: Context, patient: string, call?: CallSession): Promise<void> {
  const holder = await ctx.unit.records.read(HOLDER, patient)
  if (holder !== undefined && holder.value.callId === call?.callId) return
  ctx.unit.records.put(HOLDER, patient, call === undefined ? {} : { callId: call.callId })
}

/** A call or an abandonment has made it, or a call has had it. */
export const wasHeld = async ({ unit: { records } }: Context, patient: string): Promise<boolean> =>
  (await records.read(HOLDER, patient)) !== undefined

/** Another call than this one has it, and has not ended. */
export async function isHeldByOther(ctx: Context, patient: string, call: CallSession): Promise<boolean> {
  const holder = (await ctx.unit.records.read(HOLDER, patient))?.value.callId
  if (holder === undefined || holder === call.callId) return false
  const session = await ctx.unit.records.read(CALL, callKey(holder))
  return session?.due != null && session.due > ctx.now && session.value.endedAt === undefined
}
