/** Transactions: snapshot reads, majority writes, and a bounded number of further attempts where others were faster. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientSession, MongoClient } from 'mongodb'
import { isAborted, isDuplicateKey, isLost, isTransient, isUnknownCommit, toStoreError } from './faults.ts'
import { PATIENCE } from './time-limit.ts'

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
  const deadline = Date.now() + PATIENCE
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
