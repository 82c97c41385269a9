/**
 * Reads of a part of the store that has connections of its own (part-connection.ts): clinics share these fairly, and each
 * read is within the limits of its request.
 */
import { currentBudget } from '../../budget/budget.ts'
import { FairQueue } from '../../budget/fair-queue.ts'
import { type ReadLimits, readLimits, until, withinLimits } from './read-limits.ts'

export class PartReads {
  readonly #queue: FairQueue
  readonly #what: string

  /**
   * @param connections for reads, at least two: a clinic gets all but one of them
   * @param what is read, as BudgetError has it
   */
  constructor(connections: number, what: string) {
    // How many wait is limited where requests come in.
    const waiting = { total: Number.POSITIVE_INFINITY, perClinic: Number.POSITIVE_INFINITY }
    this.#queue = new FairQueue({ slots: connections, slotsPerClinic: connections - 1, ...waiting })
    this.#what = what
  }

  /**
   * @param read with the options of a command
   * @throws BudgetError when it takes longer than the request may, or its client has left; and what `read` throws
   */
  async read<T>(clinic: string, read: (limits: ReadLimits) => Promise<T>): Promise<T> {
    const budget = currentBudget()
    return await withinLimits(
      () => this.#what,
      async (signal) => {
        const release = await this.#queue.enter({ clinic, token: budget?.token ?? '', signal })
        try {
          if (budget === undefined) return await read(readLimits())
          return await until(budget.readEndsAt, () => read(readLimits()))
        } finally {
          release()
        }
      },
    )
  }
}
