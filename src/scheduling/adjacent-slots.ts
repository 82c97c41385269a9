/** Slots of one Schedule that a longer visit takes together: each begins where the previous one ends. */
import { isDeepStrictEqual } from 'node:util'
import type { Slot } from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import type { SlotWithId } from './generated-slot.ts'

/** Sorted by start. */
export type Run = readonly [SlotWithId, ...SlotWithId[]]

/** Whether a visit can continue in this Slot of the same Schedule: without a gap, and with the same services. */
export function follows(last: Slot, { start, end, ...next }: Slot): boolean {
  const from = timeOf(start)
  return from === timeOf(last.end) && timeOf(end) > from && isDeepStrictEqual(kindOf(last), kindOf(next))
}

const kindOf = ({ serviceCategory, serviceType, specialty, appointmentType }: Partial<Slot>) => ({
  serviceCategory,
  serviceType,
  specialty,
  appointmentType,
})

/** The next slot of the same visit; for several, the one with the lowest id. */
export const firstOf = (slots: readonly SlotWithId[]): SlotWithId | undefined =>
  slots.toSorted((one, other) => (one.id < other.id ? -1 : 1))[0]
