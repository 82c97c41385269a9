/**
 * Reads whose length depends on what is stored and requested. The database has few processors and connections for all
 * clinics, so only a few reads of a clinic are under way at a time, each with a small allowance, which suffices for
 * most. One that exceeds it is retried when one of the few places for long reads is free.
 */
import { availableParallelism } from 'node:os'
import { currentBudget } from '../../isolation/budget.ts'
import { type ComponentHealth, FairQueue, loadOfQueue } from '../../isolation/fair-queue.ts'
import { SlowKinds } from '../../isolation/slow-kinds.ts'
import { briefly, until, withinLimits } from './read-limits.ts'

/** Most brief reads at once. The number of waiting requests is limited where they arrive. */
const BRIEF = { slots: 32, total: Number.POSITIVE_INFINITY, perClinic: Number.POSITIVE_INFINITY }
/**
 * Most brief reads of one clinic at once: one for each processor, and one that waits for the network; eight at most.
 * With more, the replies for one clinic arrive together, and the reads of others wait while they are all processed; on
 * two processors, a clinic with eight reads under way gets no more results a second than with three.
 */
const BRIEF_PER_CLINIC = Math.min(8, availableParallelism() + 1)
/** Most long reads at once, in all and of one clinic; most waiting ones, in all and of one clinic. */
const LONG = { slots: 6, slotsPerClinic: 2, total: 128, perClinic: 32 }
/** Milliseconds for a read that is not known to be long. */
const ALLOWANCE = 50
/** How many more times a read must have been long than short: it may be long once because the database is busy. */
const TIMES_LONG = 3

export class LongReads {
  readonly #brief: FairQueue
  readonly #long = new FairQueue(LONG)
  readonly #lately = new SlowKinds(TIMES_LONG)

  /** @param briefPerClinic most brief reads of one clinic at a time */
  constructor(briefPerClinic = BRIEF_PER_CLINIC) {
    this.#brief = new FairQueue({ ...BRIEF, slotsPerClinic: briefPerClinic })
  }

  get load(): ComponentHealth {
    const queues = [this.#brief, this.#long]
    const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0)
    return loadOfQueue('searches', { waiting, oldestMs: Math.max(...queues.map(({ oldestMs }) => oldestMs)) })
  }

  /**
   * @param what see BudgetError; called only when needed
   * @throws BudgetError, QueueFull, and whatever `read` throws
   */
  async read<T>(clinic: string, what: () => string, read: () => Promise<T>): Promise<T> {
    const budget = currentBudget()
    // Without a request it is background work, one batch at a time.
    if (budget === undefined) return await withinLimits(what, read)
    const kindOf = () => `${clinic} ${what()}`
    return await withinLimits(what, async (signal) => {
      const [since, endsAt] = [Date.now(), budget.readEndsAt]
      // A read that has waited for half of its time would have too little left.
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
