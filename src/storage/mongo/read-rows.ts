/** Reads the documents of a cursor, as many as fit a response. */
import type { AbstractCursor } from 'mongodb'
import { requireWorkThread } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { type LimitedItems, ResponseLimit, type WithResource } from '../response-limit.ts'
import type { ResourceDocument } from './collections.ts'
import { isPacked } from './stored-text.ts'

/** Documents decoded before their texts are counted. */
const DECODED = 16
/** Characters of text after which other work of the process has its turn. */
const TURN = 1024 * 1024

type WithText = Pick<ResourceDocument, 'text'>

/**
 * Reads no more documents than fit a response, with turns for other work in between.
 * @throws OffloadRequired for a large document
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
  // Awaiting each document separately would take longer than decoding it.
  while (await cursor.hasNext()) {
    for (const document of cursor.readBufferedDocuments(DECODED)) {
      // Unpacking it takes longer than any other work of the event loop on it.
      if (isPacked(document.text)) requireWorkThread('the size of a resource')
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
