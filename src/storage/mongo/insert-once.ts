/** Inserts that may be repeated after an attempt of unknown outcome. */
import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb'
import { DUPLICATE_KEY, isDuplicateKey } from './faults.ts'

/** @param documents each with a unique key that is used once: one that exists was written by an earlier attempt */
export async function insertOnce<Schema extends Document>(
  collection: Collection<Schema>,
  documents: readonly OptionalUnlessRequiredId<Schema>[],
): Promise<void> {
  try {
    await collection.insertMany(documents, { ordered: false })
  } catch (error) {
    if (!areThere(error)) throw error
  }
}

/** True when every refused document exists already. */
function areThere(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error)
  const failed = [error.writeErrors].flat()
  const isAcknowledged = error.result.getWriteConcernError() === undefined
  return isAcknowledged && failed.length > 0 && failed.every(({ code }) => code === DUPLICATE_KEY)
}
