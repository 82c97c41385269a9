/** Ends holds when they expire, in the background: those too that expired while no server ran. */
import type { BackgroundLoop, LoopPace } from '../budget/background-loop.ts'
import type { ClinicAccess } from '../core/context.ts'
import { type DueServices, dueRecordLoop } from '../repository/due-records.ts'
import { endIfExpired, HOLD } from './holds.ts'

/** Milliseconds until the end of a hold is tried again after a fault. */
const LEASE = 15_000

export interface HoldExpiryServices extends DueServices {
  readonly accessOf: (clinic: string) => ClinicAccess
}

export const holdExpiry = (services: HoldExpiryServices, pace?: LoopPace): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: HOLD,
      lease: LEASE,
      finish: (clinic, id) => services.accessOf(clinic).change((ctx) => endIfExpired(ctx, id)),
      failure: 'a hold that has expired could not be ended',
    },
    pace,
  )
