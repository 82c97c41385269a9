/**
 * Orphans: transactions whose server process died, or lost its network, in the middle. What they wrote stays locked
 * until MongoDB gives them up after a minute (transactionLifetimeLimitSeconds); whoever has to wait ends them sooner.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/currentOp/
 */
import type { MongoClient } from 'mongodb'
import { APP_NAME } from './connection.ts'

/** Milliseconds after which a write that still waits looks for orphans, again and again. */
const EVERY = 1_000
/**
 * Microseconds without a command. A process that is alive is never so slow between two; if one ever is, its transaction
 * is tried again.
 */
const IDLE = 3_000_000

const ORPHANS = [
  { $currentOp: { allUsers: false, idleSessions: true } },
  { $match: { type: 'idleSession', appName: APP_NAME, 'transaction.timeInactiveMicros': { $gt: IDLE } } },
  { $replaceWith: { id: '$lsid.id' } },
]

export class Orphans {
  readonly #client: MongoClient
  #looking = false

  constructor(client: MongoClient) {
    this.#client = client
  }

  /** Ends orphans for as long as `work` waits, which may be for them. */
  async endDuring<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => void this.#end(), EVERY)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }

  async #end(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      const admin = this.#client.db('admin')
      const found = await admin.aggregate(ORPHANS, { readConcern: { level: 'local' } }).toArray()
      if (found.length > 0) await admin.command({ killSessions: found })
    } catch {
      // Who may not look, or can't now, waits as long as it takes.
    } finally {
      this.#looking = false
    }
  }
}
