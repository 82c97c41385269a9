/** Keeps Slots generated in the background: of Schedules whose availability has changed, and of the day that has come. */
import type { Logger } from 'pino'
import { BackgroundLoop, type Job, type JobSource, type LeasedJob, type Pace } from '../budget/background-loop.ts'
import type { ClinicAccess } from '../core/context.ts'
import type { Repository } from '../repository/repository.ts'
import { generatePart, LEASE, SLOT_GENERATION, SMALL_PART } from './slot-generation.ts'

const PACE: Pick<Pace, 'look' | 'pause'> = { look: 500, pause: 0 }
/** Milliseconds of work on a Schedule before the next one has its turn. */
const TURN = 1_000
/** Schedules of one query for work. */
const MAX_SCHEDULES = 20

export interface SlotGeneratingServices {
  readonly repository: Pick<Repository, 'records'>
  readonly accessOf: (clinic: string) => ClinicAccess
  readonly logger: Logger
  /** Milliseconds since 1970 UTC. */
  readonly clock?: (() => number) | undefined
}

/** Several processes may run one each. */
export const slotGenerating = (services: SlotGeneratingServices, pace = PACE): BackgroundLoop =>
  new BackgroundLoop(new SchedulesToGenerate(services), pace)

/** Jobs are Schedules of any clinic, which take turns, so that a year of slots does not hold up a week of others. */
class SchedulesToGenerate implements JobSource {
  readonly #services: SlotGeneratingServices

  constructor(services: SlotGeneratingServices) {
    this.#services = services
  }

  async *jobs(): AsyncGenerator<Job> {
    const { repository, accessOf, clock = Date.now } = this.#services
    for (let hasWorked = true; hasWorked; ) {
      hasWorked = false
      const due = { dueBefore: clock(), limit: MAX_SCHEDULES }
      for (const { clinic, key } of await repository.records(SLOT_GENERATION, due)) {
        const lease = async (): Promise<LeasedJob | undefined> => {
          const access = accessOf(clinic)
          const isLeased = await takeTurn(access, key)
          hasWorked ||= isLeased
          return isLeased ? new ScheduleTurn(access, key) : undefined
        }
        yield { lease }
      }
    }
  }

  /** A fault with one Schedule leaves the others alone; its own lease makes it wait. */
  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, 'the slots of a schedule could not be generated')
    return true
  }
}

/** False: another process has it, or it is done. */
const takeTurn = (access: ClinicAccess, schedule: string): Promise<boolean> =>
  access.change(async ({ unit: { records, now } }) => {
    const record = await records.read(SLOT_GENERATION, schedule)
    if (record === undefined || record.due === null || record.due > now) return false
    records.put(SLOT_GENERATION, schedule, record.value, { due: now + LEASE })
    return true
  })

class ScheduleTurn implements LeasedJob {
  readonly #access: ClinicAccess
  readonly #schedule: string
  readonly #end = Date.now() + TURN
  #isComplete = false

  constructor(access: ClinicAccess, schedule: string) {
    this.#access = access
    this.#schedule = schedule
  }

  async batch(): Promise<boolean> {
    const { isComplete } = await this.#access.change((ctx) => generatePart(ctx, this.#schedule, SMALL_PART))
    this.#isComplete = isComplete
    return !isComplete && Date.now() <= this.#end
  }

  /** What is left is anybody's. */
  async end(): Promise<void> {
    if (this.#isComplete) return
    await this.#access.change(async ({ unit: { records, now } }) => {
      const record = await records.read(SLOT_GENERATION, this.#schedule)
      if (record !== undefined) records.put(SLOT_GENERATION, this.#schedule, record.value, { due: now })
    })
  }
}
