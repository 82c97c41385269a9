/** Ends calls whose end was never reported, in the background: those too that fell silent while no server ran. */

import type { ClinicAccess, Context } from '../../core/context.ts'
import type { BackgroundLoop, LoopPace } from '../../isolation/background-loop.ts'
import { type DueServices, dueRecordLoop } from '../../repository/due-records.ts'
import { stageEnd } from './call-end.ts'
import { OPEN_CALL } from './open-calls.ts'

const PACE: LoopPace = { look: 5_000, pause: 0 }
/** Milliseconds until the end of a call is tried again after a fault. */
const LEASE = 15_000

/** The session says why the call ended. */
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

/** The call ended when its newest tool was called. @returns whether it was silent */
async function endIfSilent(ctx: Context, key: string): Promise<boolean> {
  const open = await ctx.unit.records.read(OPEN_CALL, key)
  if (open?.due == null || open.due > ctx.now) return false
  const { callId, seen } = open.value
  await stageEnd(ctx, { callId, endedAt: seen, reason: IDLE })
  return true
}
