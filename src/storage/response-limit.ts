/** Answers of bounded size: a process has one memory for all its clients. */
import type { StoredResource } from './port.ts'

/** Characters that the texts of one answer may have together. */
const MOST_CHARACTERS = 32 * 1024 * 1024

export interface WithResource {
  readonly resource: StoredResource
}

/** The first of what was asked for, and at least one of it. */
export interface Fitting<Item> {
  readonly items: readonly Item[]
  /** There was more, but their texts are too long together. */
  readonly isCut: boolean
}

/** Counts the characters of an answer. */
export class Room {
  private characters = 0

  /** False when `text` is one too many; the first always has room. */
  takes({ text }: StoredResource): boolean {
    const isFirst = this.characters === 0
    this.characters += text.length
    return isFirst || this.characters <= MOST_CHARACTERS
  }
}

/** Reads no more than fits. */
export async function readFitting<Document, Item extends WithResource>(
  documents: AsyncIterable<Document>,
  itemOf: (document: Document) => Item,
): Promise<Fitting<Item>> {
  const [items, room]: [Item[], Room] = [[], new Room()]
  for await (const document of documents) {
    const item = itemOf(document)
    if (!room.takes(item.resource)) return { items, isCut: true }
    items.push(item)
  }
  return { items, isCut: false }
}

/** Several answers in one order. What comes after the end of one that is cut may have the rest of it before. */
export function merged<Item extends WithResource>(
  parts: readonly Fitting<Item>[],
  compare: (one: Item, other: Item) => number,
): Fitting<Item> {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const all = parts.flatMap(({ items }) => items).sort(compare)
  const ends = parts.flatMap(({ items, isCut }) => {
    const last = items.at(-1)
    return isCut && last !== undefined ? [all.indexOf(last)] : []
  })
  const certain = all.slice(0, Math.min(all.length, ...ends.map((end) => end + 1)))
  const room = new Room()
  const excess = certain.findIndex(({ resource }) => !room.takes(resource))
  const items = excess === -1 ? certain : certain.slice(0, excess)
  return { items, isCut: excess !== -1 || ends.length > 0 }
}
