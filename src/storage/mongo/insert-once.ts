/** Inserts that may be repeated, as it was not known what became of the first try. */
import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb'
import { DUPLICATE_KEY, isDuplicateKey } from './faults.ts'

/** @param documents of which each has a unique key that is used once: one that is there already was written before */
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

/** All that were refused. */
function areThere(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error)
  const failed = [error.writeErrors].flat()
  const isAcknowledged = error.result.getWriteConcernError() === undefined
  return isAcknowledged && failed.length > 0 && failed.every(({ code }) => code === DUPLICATE_KEY)
}
