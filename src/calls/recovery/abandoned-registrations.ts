/**
 * Turns registrations that stayed incomplete into abandonments, in the background; includes those that fell due while
 * no server was running.
 */
import type { ClinicAccess } from '../../core/context.ts'
import type { BackgroundLoop, LoopPace } from '../../isolation/background-loop.ts'
import { type DueServices, dueRecordLoop } from '../../repository/due-records.ts'
import { abandonIfDue, OPEN_REGISTRATION } from './registration-follow-up.ts'

const PACE: LoopPace = { look: 1_000, pause: 0 }
/** Milliseconds until a failed registration is retried. */
const LEASE = 15_000

export interface AbandonedRegistrationServices extends DueServices {
  readonly accessOf: (clinic: string) => ClinicAccess
}

export const abandonedRegistrations = (services: AbandonedRegistrationServices, pace = PACE): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: OPEN_REGISTRATION,
      lease: LEASE,
      finish: (clinic, id) => services.accessOf(clinic).change((ctx) => abandonIfDue(ctx, id)),
      failure: 'a registration that is due could not be followed up',
    },
    pace,
  )
