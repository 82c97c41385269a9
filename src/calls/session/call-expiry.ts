/**
 * Ends calls whose end was never reported, in the background; includes those that fell silent while no server was
 * running.
 */
import type { ClinicAccess, Context } from '../../core/context.ts'
import type { BackgroundLoop, LoopPace } from '../../isolation/background-loop.ts'
import { type DueServices, dueRecordLoop } from '../../repository/due-records.ts'
import { stageEnd } from './call-end.ts'
import { OPEN_CALL } from './open-calls.ts'

const PACE: LoopPace = { look: 5_000, pause: 0 }
/** Milliseconds until a failed attempt to end a call is retried. */
const LEASE = 15_000

/** The reason for the end, in the session. */
const IDLE = 'no tool was called any more'

export interface CallExpiryServices extends DueServices {
  readonly accessOf: (clinic: string) => ClinicAccess
}

export const callExpiry = (services: CallExpiryServices, pace = PACE): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: OPEN_CALL,
      lease: LEASE,
      finish: (clinic, key) => services.accessOf(clinic).change((ctx) => endIfSilent(ctx, key)),
      failure: 'a call that fell silent could not be ended',
    },
    pace,
  )

/** The end is the time of the latest tool call. @returns whether the call was silent */
async function endIfSilent(ctx: Context, key: string): Promise<boolean> {
  const open = await ctx.unit.records.read(OPEN_CALL, key)
  if (open?.due == null || open.due > ctx.now) return false
  const { callId, seen } = open.value
  await stageEnd(ctx, { callId, endedAt: seen, reason: IDLE })
  return true
}
