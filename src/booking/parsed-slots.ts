/**
 * Cache of parsed Slots by their text, as the next free ones are read repeatedly. The objects are shared and must not
 * be changed.
 */
import { LRUCache } from 'lru-cache'
import type { Versioned } from '../repository/repository.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'

const MOST = 5_000

/** By clinic and text, which includes id and version. */
const slots = new LRUCache<string, SlotWithId>({ max: MOST })

export function parsedSlot(clinic: string, found: Versioned): SlotWithId {
  const key = `${clinic} ${found.text}`
  const known = slots.get(key)
  if (known !== undefined) return known
  const slot = found.resource as SlotWithId
  slots.set(key, slot)
  return slot
}
