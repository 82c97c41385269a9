/**
 * Reads whose length depends on what is stored and requested. Clinics share the connections fairly, and each read is
 * within the limits of its request.
 */
import { currentBudget } from '../../isolation/budget.ts'
import { type ComponentHealth, FairQueue, loadOfQueue } from '../../isolation/fair-queue.ts'
import { until, withinLimits } from './read-limits.ts'

/** Milliseconds; a longer read is paid by the time that its request has for reads. */
const BRIEF = 50

interface Slots {
  /** Most reads at once. The number of waiting requests is limited where they arrive. */
  readonly slots: number
  /** Most reads of one clinic at once. */
  readonly slotsPerClinic: number
}

export class FairReads {
  readonly #queue: FairQueue

  constructor(slots: Slots) {
    this.#queue = new FairQueue({ ...slots, total: Number.POSITIVE_INFINITY, perClinic: Number.POSITIVE_INFINITY })
  }

  get load(): ComponentHealth {
    return loadOfQueue('searches', this.#queue)
  }

  /**
   * @param what see BudgetError; called only when needed
   * @throws BudgetError when it takes longer than the request may, or its client has left; QueueFull when it has waited
   *   for half of its time, as it would have too little left; and whatever `read` throws
   */
  async read<T>(clinic: string, what: () => string, read: () => Promise<T>): Promise<T> {
    const budget = currentBudget()
    const endsAt = budget?.readEndsAt ?? Number.POSITIVE_INFINITY
    return await withinLimits(what, async (signal) => {
      const longestWait = budget && Math.max(0, (endsAt - Date.now()) / 2)
      const release = await this.#queue.enter({ clinic, token: budget?.token ?? '', signal }, longestWait)
      // The wait is not paid: side by side, the reads of a request would pay it many times.
      const since = Date.now()
      try {
        return await until(endsAt, read)
      } finally {
        release()
        if (Date.now() - since > BRIEF) budget?.hasReadSince(since)
      }
    })
  }
}
