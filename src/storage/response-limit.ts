/** Limits the size of responses: all clients share the memory of one process. */
import { requireWorkThread, spend } from '../isolation/budget.ts'
import type { StoredResource } from './port.ts'

type Text = Pick<StoredResource, 'text'>

/** Most characters that the texts of one response may have together. */
const MAX_CHARACTERS = 32 * 1024 * 1024
/** Characters of a stored text that are read, joined and sent in one step of the budget. */
const CHARACTERS_PER_STEP = 250

/** Most characters of a text that the event loop sends: each is copied several times on its way. */
const MAX_ON_EVENT_LOOP = 256 * 1024

/** Pays for reading a stored text. @throws BudgetError */
export function spendOnText({ text }: Text): void {
  if (text.length > MAX_ON_EVENT_LOOP) requireWorkThread('the size of a resource')
  spend(text.length / CHARACTERS_PER_STEP, 'the size of its response')
}

/** Counts the characters of one response. */
export class ResponseLimit {
  #items = 0
  #characters = 0

  /** False when `text` is too long for what is left; the first always fits. @throws BudgetError */
  fits({ text }: Text): boolean {
    spendOnText({ text })
    this.#items += 1
    this.#characters += text.length
    return this.#items === 1 || this.#characters <= MAX_CHARACTERS
  }
}

/** The first of `resources` whose texts fit one response, and at least one; reads no further. */
export function withinLimit<Item extends Text>(resources: Iterable<Item>): readonly Item[] {
  const [items, limit]: [Item[], ResponseLimit] = [[], new ResponseLimit()]
  for (const resource of resources) {
    if (!limit.fits(resource)) break
    items.push(resource)
  }
  return items
}

export interface WithResource {
  readonly resource: StoredResource
}

/** The first items of a response, and at least one where there is one. */
export interface LimitedItems<Item> {
  readonly items: readonly Item[]
  /** True when there are more items, but their texts are too long together. */
  readonly isCut: boolean
}

/**
 * Merges several lists in one order. The result ends with the last item of the first cut list, since the missing rest
 * of that list might come next.
 */
export function mergeWithinLimit<Item extends WithResource>(
  parts: readonly LimitedItems<Item>[],
  compare: (one: Item, other: Item) => number,
): LimitedItems<Item> {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const all = parts.flatMap(({ items }) => items).sort(compare)
  const ends = parts.flatMap(({ items, isCut }) => {
    const last = items.at(-1)
    return isCut && last !== undefined ? [all.indexOf(last)] : []
  })
  const certain = all.slice(0, Math.min(all.length, ...ends.map((end) => end + 1)))
  const limit = new ResponseLimit()
  const excess = certain.findIndex(({ resource }) => !limit.fits(resource))
  const items = excess === -1 ? certain : certain.slice(0, excess)
  return { items, isCut: excess !== -1 || ends.length > 0 }
}
