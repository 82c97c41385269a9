/** Checks that the times of an appointment match its slots. */
import type { Appointment, Slot } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'

/**
 * Several slots may be booked together when they are contiguous; the appointment starts with the first and ends with
 * the last.
 * @throws FhirError 422 naming the element that does not match
 */
export function checkTimes({ start, end }: Pick<Appointment, 'start' | 'end'>, slots: readonly Slot[]): void {
  const inOrder = [...slots].sort((a, b) => Date.parse(a.start) - Date.parse(b.start))
  const [first] = inOrder
  const last = inOrder.at(-1)
  if (first === undefined || last === undefined) return
  for (const [index, slot] of inOrder.entries()) {
    const next = inOrder[index + 1]
    if (next !== undefined && Date.parse(next.start) !== Date.parse(slot.end)) {
      throw unprocessable(
        `The slots do not follow one another: one ends at ${slot.end}, the next starts at ${next.start}`,
        { expression: 'Appointment.slot' },
      )
    }
  }
  checkTime('start', start, first.start)
  checkTime('end', end, last.end)
}

function checkTime(element: 'start' | 'end', given: string | undefined, slotTime: string): void {
  if (given !== undefined && Date.parse(given) === Date.parse(slotTime)) return
  throw unprocessable(
    `Appointment.${element} is ${given ?? 'missing'}, but its slots ${element} at ${slotTime}; they must be equal`,
    { expression: `Appointment.${element}` },
  )
}
