/**
 * How long a request waits for a database that is lost. Each of its commands may wait for a server anew, and would again
 * after each loss, as when nodes come and go; so what has met a loss has one limit for all of its commands together.
 */
import type { MongoClient, ServerDescription } from 'mongodb'
import { currentBudget } from '../../isolation/budget.ts'
import { StoreUnavailable } from '../port.ts'

/** Milliseconds from the beginning of a request; with its answer it stays below the 15 s of docs/operating.md. */
const LONGEST_WAIT = 13_000

export interface Wait {
  /** What waits is a write, which goes on when it is no longer waited for. */
  readonly mayBeWritten: boolean
}

export class Outages {
  readonly #longestWait: number
  /** Milliseconds since 1970 UTC. Infinite: the database is lost. */
  #lastedUntil = Number.NEGATIVE_INFINITY

  constructor(longestWait: number = LONGEST_WAIT) {
    this.#longestWait = longestWait
  }

  /** From now on the losses that `client` notices are known. */
  watch(client: MongoClient): void {
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      if ([...newDescription.servers.values()].some(takesWrites)) this.ended()
      else this.began()
    })
  }

  began(): void {
    this.#lastedUntil = Number.POSITIVE_INFINITY
  }

  ended(): void {
    if (this.#lastedUntil === Number.POSITIVE_INFINITY) this.#lastedUntil = Date.now()
  }

  /**
   * Does the work of the request under way. Where the database was lost since it began, the work is waited for as long as
   * the request has left; all other work takes as long as it takes.
   * @throws StoreUnavailable when the request has waited too long
   */
  async within<T>(work: () => Promise<T>, wait: Wait): Promise<T> {
    const startedAt = currentBudget()?.startedAt
    if (startedAt === undefined || this.#lastedUntil < startedAt) return await work()
    const left = startedAt + this.#longestWait - Date.now()
    if (left <= 0) throw tooLong(this.#longestWait, false)
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(tooLong(this.#longestWait, wait.mayBeWritten)), left)
    try {
      return await Promise.race([work(), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

const tooLong = (milliseconds: number, mayBeWritten: boolean): StoreUnavailable =>
  new StoreUnavailable(`The database was lost, and a request waits for it for ${milliseconds / 1000} s at most`, {
    mayBeWritten,
  })

const WRITABLE: ReadonlySet<string> = new Set(['RSPrimary', 'Mongos', 'Standalone', 'LoadBalancer'])

const takesWrites = ({ type }: ServerDescription): boolean => WRITABLE.has(type)
