/** Transactions: snapshot reads, majority writes, and a bounded number of further attempts where others were faster. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientSession, MongoClient } from 'mongodb'
import { isDuplicateKey, isTransient, isUnknownCommit } from './faults.ts'

/** How long a transaction is tried again, milliseconds. */
const PATIENCE = 8_000
const LONGEST_PAUSE = 100

const OPTIONS = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
} as const

/**
 * Runs `work` and commits what it wrote, all or none. `work` runs again when somebody else wrote the same documents
 * meanwhile, so it must have no other effect.
 */
export async function inTransaction(
  client: MongoClient,
  work: (session: ClientSession) => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + PATIENCE
  const session = client.startSession()
  try {
    for (let attempt = 1; !(await attempted(session, work, deadline)); attempt += 1) {
      await sleep(Math.random() * Math.min(LONGEST_PAUSE, 2 ** attempt))
    }
  } finally {
    await session.endSession()
  }
}

/** false: nothing was written, and it is worth trying again. */
async function attempted(
  session: ClientSession,
  work: (session: ClientSession) => Promise<void>,
  deadline: number,
): Promise<boolean> {
  session.startTransaction(OPTIONS)
  try {
    await work(session)
    await commit(session, deadline)
    return true
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction()
    // What work found missing was made by somebody else: it will find it when it looks again.
    const canRetry = isTransient(error) || isDuplicateKey(error)
    if (!canRetry || Date.now() > deadline) throw error
    return false
  }
}

async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction()
    } catch (error) {
      if (!isUnknownCommit(error) || Date.now() > deadline) throw error
    }
  }
}
