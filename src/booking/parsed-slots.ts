/**
 * Cache of parsed Slots by their text, as the next free ones are read repeatedly. The objects are shared and must not
 * be changed.
 */
import type { Versioned } from '../repository/repository.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'

/** Size of one generation of the cache; entries used in it survive the next. */
const MOST = 2_500

/** By clinic and text, which includes id and version. */
let recent = new Map<string, SlotWithId>()
let older = new Map<string, SlotWithId>()

export function parsedSlot(clinic: string, found: Versioned): SlotWithId {
  const key = `${clinic} ${found.text}`
  const known = recent.get(key)
  if (known !== undefined) return known
  const slot = older.get(key) ?? (found.resource as SlotWithId)
  if (recent.size >= MOST) [older, recent] = [recent, new Map()]
  recent.set(key, slot)
  return slot
}
