/** Reads what a cursor finds, as far as it fits a response. */
import type { AbstractCursor } from 'mongodb'
import { requireWorker } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { type LimitedItems, ResponseLimit, type WithResource } from '../response-limit.ts'
import type { ResourceDocument } from './collections.ts'
import { isPacked } from './stored-text.ts'

/** Documents that are decoded before their texts are counted. */
const DECODED = 16
/** Characters of text after which other work of the process has its turn. */
const TURN = 1024 * 1024

type WithText = Pick<ResourceDocument, 'text'>

/**
 * Reads no more of the documents than fits, and lets other work come between.
 * @throws OffloadRequired for a large one
 */
export async function readRows<Document extends WithText, Item extends WithResource>(
  cursor: AbstractCursor<Document>,
  itemOf: (document: Document) => Item,
): Promise<LimitedItems<Item>> {
  try {
    return await readAll(cursor, itemOf)
  } finally {
    if (!cursor.closed) await cursor.close()
  }
}

async function readAll<Document extends WithText, Item extends WithResource>(
  cursor: AbstractCursor<Document>,
  itemOf: (document: Document) => Item,
): Promise<LimitedItems<Item>> {
  const [items, limit]: [Item[], ResponseLimit] = [[], new ResponseLimit()]
  let sinceTurn = 0
  // Waiting for each document on its own would take longer than decoding it.
  while (await cursor.hasNext()) {
    for (const document of cursor.readBufferedDocuments(DECODED)) {
      // To unpack it takes longer than anything that the event loop does with it.
      if (isPacked(document.text)) requireWorker('the size of a resource')
      const item = itemOf(document)
      if (!limit.fits(item.resource)) return { items, isCut: true }
      items.push(item)
      sinceTurn += item.resource.text.length
    }
    if (sinceTurn > TURN) {
      sinceTurn = 0
      await yieldToEventLoop()
    }
  }
  return { items, isCut: false }
}
