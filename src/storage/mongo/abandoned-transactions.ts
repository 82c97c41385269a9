/**
 * Ends abandoned transactions, whose server process died or lost its network in the middle. Their writes stay locked
 * until MongoDB aborts them after a minute (transactionLifetimeLimitSeconds); a waiting write ends them sooner.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/currentOp/
 */
import type { MongoClient } from 'mongodb'
import { APP_NAME } from './connection.ts'

/** Milliseconds between two checks for abandoned transactions, while a write waits. */
const INTERVAL = 1_000
/**
 * Microseconds without a command. A live process is never that slow between two commands of a transaction; if it ever
 * is, its transaction is retried.
 */
const IDLE = 3_000_000

const ABANDONED = [
  { $currentOp: { allUsers: false, idleSessions: true } },
  { $match: { type: 'idleSession', appName: APP_NAME, 'transaction.timeInactiveMicros': { $gt: IDLE } } },
  { $replaceWith: { id: '$lsid.id' } },
]

export class AbandonedTransactions {
  readonly #client: MongoClient
  #ending = false

  constructor(client: MongoClient) {
    this.#client = client
  }

  /** Ends abandoned transactions for as long as `work` takes, which may be waiting for their locks. */
  async endDuring<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => void this.#end(), INTERVAL)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }

  async #end(): Promise<void> {
    if (this.#ending) return
    this.#ending = true
    try {
      const admin = this.#client.db('admin')
      const sessions = await admin.aggregate(ABANDONED, { readConcern: { level: 'local' } }).toArray()
      if (sessions.length > 0) await admin.command({ killSessions: sessions })
    } catch {
      // Without the right to list or kill sessions, or a connection, the write waits until MongoDB aborts them.
    } finally {
      this.#ending = false
    }
  }
}
