/**
 * The order of a transaction: https://hl7.org/fhir/R4/http.html#trules, and targets before the resources that refer to
 * them.
 */
import type { Write } from './calendar.ts'

export function inOrder(writes: readonly Write[], way: 'POST' | 'PUT'): readonly Write[] {
  const phase = (write: Write) =>
    write.after === undefined ? 0 : write.type === 'Appointment' && write.isNew && way === 'POST' ? 1 : 2
  const byPhase = writes.toSorted((one, other) => phase(one) - phase(other))
  const named = (write: Write) =>
    write.type === 'Slot' || write.after === undefined
      ? []
      : write.after.slots.flatMap(
          (slot) => byPhase.find((one) => one.type === 'Slot' && one.name === slot && one.after !== undefined) ?? [],
        )
  return [...new Set(byPhase.flatMap((write) => [...named(write), write]))]
}
