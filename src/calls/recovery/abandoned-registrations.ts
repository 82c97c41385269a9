/** Makes abandonments of registrations that stayed incomplete, in the background: those too that fell due while no server ran. */
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type Pace } from '../../budget/background-loop.ts'
import type { ClinicAccess } from '../../core/context.ts'
import type { Repository } from '../../repository/repository.ts'
import { abandonIfDue, OPEN_REGISTRATION } from './registration-follow-up.ts'

const PACE: Pick<Pace, 'look' | 'pause'> = { look: 1_000, pause: 0 }
/** Registrations that one look ends. */
const MAX_REGISTRATIONS = 1_000

export interface AbandonedRegistrationServices {
  readonly repository: Pick<Repository, 'records'>
  readonly accessOf: (clinic: string) => ClinicAccess
  readonly logger: Logger
  /** Milliseconds since 1970 UTC. */
  readonly clock?: (() => number) | undefined
}

/** Several processes may run one each: the store lets one of them make an abandonment. */
export const abandonedRegistrations = (services: AbandonedRegistrationServices, pace = PACE): BackgroundLoop =>
  new BackgroundLoop(new DueRegistrations(services), pace)

class DueRegistrations implements JobSource {
  readonly #services: AbandonedRegistrationServices

  constructor(services: AbandonedRegistrationServices) {
    this.#services = services
  }

  async *jobs(): AsyncGenerator<Job> {
    const { repository, accessOf, clock = Date.now } = this.#services
    for (const { clinic, key } of await repository.records(OPEN_REGISTRATION, {
      dueBefore: clock(),
      limit: MAX_REGISTRATIONS,
    }))
      yield { lease: () => abandon(accessOf(clinic), key) }
  }

  /** A fault with one registration leaves the others alone. */
  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, 'a registration that is due could not be followed up')
    return true
  }
}

/** The whole work in one change, so that nothing is leased. */
async function abandon(access: ClinicAccess, id: string): Promise<undefined> {
  await access.change((ctx) => abandonIfDue(ctx, id))
}
