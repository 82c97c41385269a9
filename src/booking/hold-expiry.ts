/** Ends holds when they expire, in the background: those too that expired while no server ran. */
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type Pace } from '../budget/background-loop.ts'
import type { ClinicAccess } from '../core/context.ts'
import type { Repository } from '../repository/repository.ts'
import { expire, HOLD } from './holds.ts'

const PACE: Pick<Pace, 'look' | 'pause'> = { look: 500, pause: 0 }
/** Holds of one query for work. */
const MAX_HOLDS = 100
/** Milliseconds until a hold that could not be ended is tried again, so that it does not stand before the others. */
const RETRY = 60_000

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
    for (let isFull = true; isFull; ) {
      const due = await repository.records(HOLD, { dueBefore: clock(), limit: MAX_HOLDS })
      for (const { clinic, key } of due) yield { lease: () => this.#end(accessOf(clinic), key) }
      isFull = due.length === MAX_HOLDS
    }
  }

  /** The whole work, so that nothing is leased. */
  async #end(access: ClinicAccess, id: string): Promise<undefined> {
    try {
      await access.change((ctx) => expire(ctx, id))
    } catch (error) {
      await postpone(access, id)
      throw error
    }
  }

  /** A fault with one hold leaves the others alone. */
  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, 'a hold that has expired could not be ended')
    return true
  }
}

/** The hold has expired all the same: who wants its time gets it. */
const postpone = (access: ClinicAccess, id: string): Promise<void> =>
  access.change(async ({ unit: { records, now } }) => {
    const hold = await records.read(HOLD, id)
    if (hold !== undefined) records.put(HOLD, id, hold.value, { due: now + RETRY })
  })
