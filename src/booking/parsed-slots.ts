/**
 * Slots that have been read lately, parsed once as long as their text stays the same: those that are free next are looked at
 * again and again. They are shared, and not to be changed.
 */
import type { Versioned } from '../repository/repository.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'

/** Of one generation; what is used in it survives the next. */
const MOST = 2_500

/** By clinic and text, which holds id and version. */
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
