/**
 * Limits how long a request waits for a lost database. Each of its commands may wait for a server, and do so again
 * after each loss, as when nodes come and go; so a request that has met a loss has one limit for all of its commands
 * together.
 */
import type { MongoClient, ServerDescription } from 'mongodb'
import { currentBudget } from '../../isolation/budget.ts'
import { StoreUnavailable } from '../store-errors.ts'

/** Milliseconds from the beginning of a request; with its response it stays below the 15 s of docs/operating.md. */
const LONGEST_WAIT = 13_000

export interface Wait {
  /** True for a write, which continues after the request has stopped waiting for it. */
  readonly mayBeWritten: boolean
}

/** Runs work of the store. @throws errors of the port only */
export type Serve = <T>(work: () => Promise<T>, wait?: Wait) => Promise<T>

export class Outages {
  readonly #longestWait: number
  /** The end of the last loss, milliseconds since 1970 UTC. Infinite: the database is lost now. */
  #lastedUntil = Number.NEGATIVE_INFINITY

  constructor(longestWait: number = LONGEST_WAIT) {
    this.#longestWait = longestWait
  }

  /** Watches for losses that `client` notices. */
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
   * Runs the work of the current request. Where the database was lost since the request began, the wait is limited to
   * the time that the request has left; other work is not limited.
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
