/** Ends calls whose end was never reported, in the background: those too that fell silent while no server ran. */
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type Pace } from '../../budget/background-loop.ts'
import type { ClinicAccess } from '../../core/context.ts'
import type { Repository } from '../../repository/repository.ts'
import { stageEnd } from './call-end.ts'
import { OPEN_CALL } from './open-calls.ts'

const PACE: Pick<Pace, 'look' | 'pause'> = { look: 5_000, pause: 0 }
/** Calls that one look ends. */
const MAX_CALLS = 1_000

/** The session says why the call ended. */
const IDLE = 'no tool was called any more'

export interface CallExpiryServices {
  readonly repository: Pick<Repository, 'records'>
  readonly accessOf: (clinic: string) => ClinicAccess
  readonly logger: Logger
  /** Milliseconds since 1970 UTC. */
  readonly clock?: (() => number) | undefined
}

/** Several processes may run one each: the store lets one of them end a call. */
export const callExpiry = (services: CallExpiryServices, pace = PACE): BackgroundLoop =>
  new BackgroundLoop(new SilentCalls(services), pace)

class SilentCalls implements JobSource {
  readonly #services: CallExpiryServices

  constructor(services: CallExpiryServices) {
    this.#services = services
  }

  async *jobs(): AsyncGenerator<Job> {
    const { repository, accessOf, clock = Date.now } = this.#services
    for (const { clinic, key } of await repository.records(OPEN_CALL, { dueBefore: clock(), limit: MAX_CALLS }))
      yield { lease: () => endIfSilent(accessOf(clinic), key) }
  }

  /** A fault with one call leaves the others alone. */
  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, 'a call that fell silent could not be ended')
    return true
  }
}

/** The whole work in one change, so that nothing is leased. The call ended when its newest tool was called. */
async function endIfSilent(access: ClinicAccess, key: string): Promise<undefined> {
  await access.change(async (ctx) => {
    const open = await ctx.unit.records.read(OPEN_CALL, key)
    if (open?.due == null || open.due > ctx.now) return
    const { callId, seen } = open.value
    await stageEnd(ctx, { callId, endedAt: seen, reason: IDLE })
  })
}
