/** Keeps Slots generated in the background: for Schedules whose availability has changed, and for each new day. */
import type { ClinicAccess } from '../core/context.ts'
import type { BackgroundLoop, LeasedJob, LoopPace } from '../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../repository/due-records.ts'
import { generatePart, SLOT_GENERATION, SMALL_PART } from './slot-generation.ts'

/** Milliseconds of work on a Schedule before the next one's turn. */
const TURN = 1_000

/** Schedules take turns, so that a year of slots for one does not delay a week of slots for others. */
export const slotGenerating = (services: DueServicesOf<ClinicAccess>, pace?: LoopPace): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: SLOT_GENERATION,
      begin: ({ clinic, key }) => new ScheduleTurn(services.accessOf(clinic), key),
      failure: 'the slots of a schedule could not be generated',
    },
    pace,
  )

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

  /** Leaves the remaining work to any server. */
  async end(): Promise<void> {
    if (this.#isComplete) return
    await this.#access.change(async ({ unit: { records, now } }) => {
      const record = await records.read(SLOT_GENERATION, this.#schedule)
      if (record !== undefined) records.put(SLOT_GENERATION, this.#schedule, record.value, { due: now })
    })
  }
}
