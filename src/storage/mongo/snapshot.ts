/** Snapshot sessions: several reads of one state (https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/). */
import type { Engine, Reader } from './engine.ts'

export async function inSnapshot<T>(engine: Engine, read: (reader: Reader) => Promise<T>): Promise<T> {
  const session = engine.client.startSession({ snapshot: true })
  try {
    return await read({ ...engine, session })
  } finally {
    await session.endSession()
  }
}
