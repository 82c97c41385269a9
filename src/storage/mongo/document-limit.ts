/** What one document can hold (https://www.mongodb.com/docs/manual/reference/limits/#std-label-limit-bson-document-size). */
import { BSON } from 'mongodb'
import { type ResourceChange, ResourceTooLarge } from '../port.ts'

/** Bytes, less what the server and a transaction put around it. */
const LARGEST = 16 * 1024 * 1024 - 16 * 1024

/** Characters of a text that, with everything it is found by, is far from the limit. */
const HARMLESS = 256 * 1024

/**
 * @param documentOf makes the document that would be written
 * @throws ResourceTooLarge when that can't be
 */
export function checkSize(change: ResourceChange, documentOf: (change: ResourceChange) => BSON.Document): void {
  if (change.text.length <= HARMLESS) return
  if (BSON.calculateObjectSize(documentOf(change)) > LARGEST) {
    throw new ResourceTooLarge(`${change.type}/${change.id}`)
  }
}
