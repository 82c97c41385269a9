/**
 * Reads of a part of the store that has its own connections (part-connection.ts): clinics share these fairly, and each
 * read is within the limits of its request.
 */
import { currentBudget } from '../../isolation/budget.ts'
import { FairQueue } from '../../isolation/fair-queue.ts'
import { served } from './faults.ts'
import { type ReadLimits, readLimits, until, withinLimits } from './read-limits.ts'

interface PartReadsOptions<Part> {
  /** Opens the part, or returns the open one. */
  readonly open: () => Promise<Part>
  /** Connections for reads, at least two: a clinic gets all but one of them. */
  readonly connections: number
  /** The purpose of the reads: see BudgetError.what. */
  readonly what: string
}

export class PartReads<Part> {
  readonly #open: () => Promise<Part>
  readonly #queue: FairQueue
  readonly #what: string

  constructor({ open, connections, what }: PartReadsOptions<Part>) {
    // The number of waiting requests is limited where they arrive.
    const waiting = { total: Number.POSITIVE_INFINITY, perClinic: Number.POSITIVE_INFINITY }
    this.#queue = new FairQueue({ slots: connections, slotsPerClinic: connections - 1, ...waiting })
    this.#open = open
    this.#what = what
  }

  /**
   * @param read receives the options of a command
   * @throws BudgetError when it takes longer than the request may, or its client has left; and errors of the port
   */
  async read<T>(clinic: string, read: (part: Part, limits: ReadLimits) => Promise<T>): Promise<T> {
    const budget = currentBudget()
    return await served(async () => {
      const part = await this.#open()
      return await withinLimits(
        () => this.#what,
        async (signal) => {
          const release = await this.#queue.enter({ clinic, token: budget?.token ?? '', signal })
          const endsAt = budget?.readEndsAt ?? Number.POSITIVE_INFINITY
          return await until(endsAt, () => read(part, readLimits())).finally(release)
        },
      )
    })
  }
}
