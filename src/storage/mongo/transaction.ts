/** Sessions: transactions of writes, tried again for a limited time where another one was faster, and snapshots of reads. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientSession, MongoClient } from 'mongodb'
import { TIME_LIMIT } from './connection.ts'
import type { Engine, Reader } from './engine.ts'
import { isAborted, isDuplicateKey, isLost, isTransient, isUnknownCommit, toStoreError } from './faults.ts'

/** Milliseconds between two attempts. */
const LONGEST_PAUSE = 100

const OPTIONS = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
} as const

type Work = (session: ClientSession) => Promise<void>

/**
 * Runs `work` and commits what it wrote, all or none. `work` runs again when somebody else wrote the same documents
 * meanwhile, or the server was lost, so it must have no other effect.
 * @throws StoreUnavailable that says so where nobody knows whether it was committed
 */
export async function inTransaction(client: MongoClient, work: Work): Promise<void> {
  const deadline = Date.now() + TIME_LIMIT
  for (let attempt = 1; !(await attempted(client, work, deadline)); attempt += 1) {
    await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** attempt))
  }
}

/** false: nothing was written, and it is worth trying again. */
async function attempted(client: MongoClient, work: Work, deadline: number): Promise<boolean> {
  const session = client.startSession()
  let failure: unknown
  try {
    session.startTransaction(OPTIONS)
    await work(session)
    await commit(session, deadline)
    return true
  } catch (error) {
    failure = error
    // What work found missing was made by somebody else: it will find it when it looks again.
    const canRetry = isTransient(error) || isDuplicateKey(error)
    if (!canRetry || Date.now() > deadline) throw error
    return false
  } finally {
    const ended = session.endSession()
    // Nobody waits to tell a server that is lost; if it never learns, the transaction is an orphan.
    if (isLost(failure)) ended.catch(() => {})
    else await ended
  }
}

async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (let isUnknown = false; ; ) {
    try {
      return await session.commitTransaction()
    } catch (error) {
      isUnknown ||= isUnknownCommit(error)
      if (!isUnknown || isAborted(error)) throw error
      if (Date.now() > deadline) throw toStoreError(error, true)
    }
    await sleep(LONGEST_PAUSE)
  }
}

/** Several reads of one state (https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/). */
export async function inSnapshot<T>(engine: Engine, read: (reader: Reader) => Promise<T>): Promise<T> {
  const session = engine.client.startSession({ snapshot: true })
  try {
    return await read({ ...engine, session })
  } finally {
    await session.endSession()
  }
}

const SNAPSHOT = { level: 'snapshot' } as const

/**
 * The options that put a command into the reader's session. The driver writes the time of the snapshot into the read
 * concern that it finds, so each command of a snapshot has one of its own, never that of the collection.
 */
export function sessionOf({ session }: Reader): { readonly session?: ClientSession; readConcern?: typeof SNAPSHOT } {
  if (session === undefined) return {}
  return session.snapshotEnabled ? { session, readConcern: SNAPSHOT } : { session }
}
