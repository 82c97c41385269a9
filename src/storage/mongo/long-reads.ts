/**
 * Reads whose length depends on what is stored and requested. The database has few processors and connections for all
 * clinics, so a few reads of a clinic are under way at a time, each with a small allowance, within which most end. One that
 * exceeds it begins again where there is room for a few long ones.
 */
import { availableParallelism } from 'node:os'
import { currentBudget } from '../../isolation/budget.ts'
import { type ComponentHealth, FairQueue, loadOfQueue } from '../../isolation/fair-queue.ts'
import { SlowKinds } from '../../isolation/slow-kinds.ts'
import { briefly, until, withinLimits } from './read-limits.ts'

/** Reads at once. How many requests wait is limited where they come in. */
const BRIEF = { slots: 32, total: Number.POSITIVE_INFINITY, perClinic: Number.POSITIVE_INFINITY }
/**
 * Of these, reads of one clinic: as many as there are processors, and one that waits for the network; eight at most. With more,
 * the replies for one clinic come together, and the reads of others wait for the work of them all; on two processors a clinic
 * that has eight reads under way gets no more answers a second than with three.
 */
const BRIEF_PER_CLINIC = Math.min(8, availableParallelism() + 1)
/** Long reads at once, and those of one clinic; those that wait, and those of one clinic. */
const LONG = { slots: 6, slotsPerClinic: 2, total: 128, perClinic: 32 }
/** Milliseconds for a read that is not known to be long. */
const ALLOWANCE = 50
/** So many times more often than short: a read may be long for once because the database is busy. */
const TIMES_LONG = 3

export class LongReads {
  readonly #brief: FairQueue
  readonly #long = new FairQueue(LONG)
  readonly #lately = new SlowKinds(TIMES_LONG)

  /** @param briefPerClinic reads of one clinic at a time */
  constructor(briefPerClinic = BRIEF_PER_CLINIC) {
    this.#brief = new FairQueue({ ...BRIEF, slotsPerClinic: briefPerClinic })
  }

  get load(): ComponentHealth {
    const queues = [this.#brief, this.#long]
    const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0)
    return loadOfQueue('searches', { waiting, oldestMs: Math.max(...queues.map(({ oldestMs }) => oldestMs)) })
  }

  /**
   * @param what as BudgetError has it; called where it is needed
   * @throws BudgetError, QueueFull, and what `read` throws
   */
  async read<T>(clinic: string, what: () => string, read: () => Promise<T>): Promise<T> {
    const budget = currentBudget()
    // What belongs to no request is background work, a batch at a time.
    if (budget === undefined) return await withinLimits(what, read)
    const kindOf = () => `${clinic} ${what()}`
    return await withinLimits(what, async (signal) => {
      const [since, endsAt] = [Date.now(), budget.readEndsAt]
      // What has waited for half of its time could not be given enough.
      const enter = (queue: FairQueue) =>
        queue.enter({ clinic, token: budget.token, signal }, Math.max(0, (endsAt - Date.now()) / 2))
      if (this.#lately.isEmpty || !this.#lately.isSlow(kindOf())) {
        const release = await enter(this.#brief)
        const found = await briefly(ALLOWANCE, read).finally(release)
        if (found !== undefined) {
          if (!this.#lately.isEmpty) this.#lately.wasShort(kindOf())
          return found.value
        }
        this.#lately.wasLong(kindOf())
      }
      try {
        const release = await enter(this.#long)
        return await until(endsAt, read).finally(release)
      } finally {
        budget.hasReadSince(since)
      }
    })
  }
}
