/** Reads of a part of the store that has its own connections (part-connection.ts). */
import { FairReads } from './fair-reads.ts'
import { served } from './faults.ts'
import { type ReadLimits, readLimits } from './read-limits.ts'

interface PartReadsOptions<Part> {
  /** Opens the part, or returns the open one. */
  readonly open: () => Promise<Part>
  /** Connections for reads, at least two: a clinic gets all but one of them. */
  readonly connections: number
  /** The purpose of the reads: see BudgetError.what. */
  readonly what: string
}

export class PartReads<Part> {
  readonly #options: PartReadsOptions<Part>
  readonly #reads: FairReads

  constructor(options: PartReadsOptions<Part>) {
    this.#options = options
    this.#reads = new FairReads({ slots: options.connections, slotsPerClinic: options.connections - 1 })
  }

  /**
   * @param read receives the options of a command
   * @throws see FairReads; and errors of the port
   */
  async read<T>(clinic: string, read: (part: Part, limits: ReadLimits) => Promise<T>): Promise<T> {
    const { open, what } = this.#options
    return await served(async () => {
      const part = await open()
      return await this.#reads.read(
        clinic,
        () => what,
        () => read(part, readLimits()),
      )
    })
  }
}
