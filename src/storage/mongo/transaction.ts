/** Sessions: transactions for writes, retried for a limited time after write conflicts, and snapshots for reads. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientSession, MongoClient } from 'mongodb'
import { StoreUnavailable } from '../store-errors.ts'
import { APP_NAME, TIME_LIMIT } from './connection.ts'
import type { Engine, Reader } from './engine.ts'
import { isAborted, isDuplicateKey, isLost, isTransient, isUnknownCommit, toStoreError } from './faults.ts'
import { type ReadLimits, readLimits } from './read-limits.ts'

/** Longest pause between two attempts, milliseconds. */
const MAX_PAUSE = 100

const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
} as const

type Work = (session: ClientSession) => Promise<void>

/**
 * Runs `work` and commits its writes, all or none. `work` is retried after a write conflict and after the loss of the
 * primary, so it must have no other effect.
 * @throws StoreUnavailable with `mayBeWritten` where it is unknown whether the transaction was committed; otherwise the
 * error that `work` throws
 */
export async function inTransaction(client: MongoClient, work: Work): Promise<void> {
  const deadline = Date.now() + TIME_LIMIT
  for (let tries = 1; !(await attempt(client, work, deadline)); tries += 1) {
    await sleep(Math.random() * Math.min(MAX_PAUSE, 2 ** tries))
  }
}

/** Makes one attempt. @returns false: nothing was written, and a retry may succeed */
async function attempt(client: MongoClient, work: Work, deadline: number): Promise<boolean> {
  const session = client.startSession()
  let failure: unknown
  try {
    session.startTransaction(TRANSACTION)
    await work(session)
    await commit(session, deadline)
    return true
  } catch (error) {
    failure = error
    // A document that `work` found missing was inserted by another transaction: a retry will find it.
    const canRetry = isTransient(error) || isDuplicateKey(error)
    if (!canRetry || Date.now() > deadline) throw error
    return false
  } finally {
    const ended = session.endSession()
    // A lost database server is not waited for; if it never learns of the end, the transaction is abandoned.
    if (isLost(failure)) ended.catch(() => {})
    else await ended
  }
}

/**
 * Commits until it is known what became of the transaction. An error that does not say so, such as an interruption, is
 * tried once more: a transaction that was carried out must never be taken for one that can be written again.
 * @throws an aborted transaction's error; StoreUnavailable with `mayBeWritten` where it stays unknown
 */
async function commit(session: ClientSession, deadline: number): Promise<void> {
  let isUnknown = false
  for (let tries = 1; ; tries += 1) {
    try {
      return await session.commitTransaction()
    } catch (error) {
      if (isAborted(error)) throw error
      isUnknown ||= isUnknownCommit(error)
      if (isUnknown ? Date.now() > deadline : tries > 1) throw unknownCommit(error)
    }
    await sleep(MAX_PAUSE)
  }
}

function unknownCommit(error: unknown): StoreUnavailable {
  const reason = toStoreError(error, true)
  if (reason instanceof StoreUnavailable) return reason
  return new StoreUnavailable('The database does not say whether it has committed', { mayBeWritten: true })
}

/** Runs several reads on one state: https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/. */
export async function inSnapshot<T>(engine: Engine, read: (reader: Reader) => Promise<T>): Promise<T> {
  const session = engine.client.startSession({ snapshot: true })
  try {
    return await read({ ...engine, session })
  } finally {
    await session.endSession()
  }
}

const SNAPSHOT_CONCERN = { level: 'snapshot' } as const

/**
 * The options of a command that reads: its limits, and those that put it into the reader's session. The driver writes
 * the time of the snapshot into the read concern object that it is given, so each command of a snapshot has its own,
 * never that of the collection.
 */
export function readOptions({ session }: Reader): ReadOptions {
  const limits = readLimits()
  if (session.snapshotEnabled) return { ...limits, session, readConcern: SNAPSHOT_CONCERN }
  // A transaction is ended by its own session, not by closing its connection.
  return { session, maxTimeMS: limits.maxTimeMS }
}

interface ReadOptions extends ReadLimits {
  readonly session: ClientSession
  readConcern?: typeof SNAPSHOT_CONCERN
}

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

/**
 * Ends abandoned transactions, whose server process died or lost its network in the middle. Their writes stay locked
 * until MongoDB aborts them after a minute (transactionLifetimeLimitSeconds); a waiting write ends them sooner.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/currentOp/
 */
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
