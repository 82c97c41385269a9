/** Ends holds when they expire, in the background: those too that expired while no server ran. */
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type Pace } from '../budget/background-loop.ts'
import type { ClinicAccess } from '../core/context.ts'
import type { Repository } from '../repository/repository.ts'
import { endIfExpired, HOLD } from './holds.ts'

const PACE: Pick<Pace, 'look' | 'pause'> = { look: 500, pause: 0 }
/** Holds that one look ends. */
const MAX_HOLDS = 1_000

export interface HoldExpiryServices {
  readonly repository: Pick<Repository, 'records'>
  readonly accessOf: (clinic: string) => ClinicAccess
  readonly logger: Logger
  /** Milliseconds since 1970 UTC. */
  readonly clock?: (() => number) | undefined
}

/** Several processes may run one each: the store lets one of them end a hold. */
export const holdExpiry = (services: HoldExpiryServices, pace = PACE): BackgroundLoop =>
  new BackgroundLoop(new ExpiredHolds(services), pace)

class ExpiredHolds implements JobSource {
  readonly #services: HoldExpiryServices

  constructor(services: HoldExpiryServices) {
    this.#services = services
  }

  async *jobs(): AsyncGenerator<Job> {
    const { repository, accessOf, clock = Date.now } = this.#services
    for (const { clinic, key } of await repository.records(HOLD, { dueBefore: clock(), limit: MAX_HOLDS }))
      yield { lease: () => end(accessOf(clinic), key) }
  }

  /** A fault with one hold leaves the others alone. */
  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, 'a hold that has expired could not be ended')
    return true
  }
}

/** The whole work in one change, so that nothing is leased. */
async function end(access: ClinicAccess, id: string): Promise<undefined> {
  await access.change((ctx) => endIfExpired(ctx, id))
}
