/** Checks the times of appointments and slots, and that the slots of an appointment are contiguous. */

import { isDeepStrictEqual } from 'node:util'
import type { Appointment, Slot } from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import { type FhirError, unprocessable } from '../fhir/outcome.ts'
import { addressOf } from '../fhir/reference.ts'
import type { SlotWithId } from './generated-slot.ts'

/**
 * Checks that the end is not before the start, for which R4 has no invariant.
 * @throws FhirError 422
 */
export function checkPeriod({ resourceType, start, end }: Period): void {
  if (start === undefined || end === undefined || Date.parse(end) >= Date.parse(start)) return
  throw unprocessable(`${resourceType}.end is ${end}, before its start, ${start}; it must not end before it starts`, {
    expression: `${resourceType}.end`,
    reason: 'end-before-start',
  })
}

type Period = Pick<Appointment, 'resourceType' | 'start' | 'end'> | Pick<Slot, 'resourceType' | 'start' | 'end'>

export const isSamePeriod = (one: Period, other: Period): boolean =>
  sameTime(one.start, other.start) && sameTime(one.end, other.end)

/** @param now milliseconds since 1970 UTC */
export const hasEnded = ({ end }: Pick<Appointment, 'end'>, now: number): boolean =>
  end !== undefined && timeOf(end) <= now

const sameTime = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && Date.parse(one) === Date.parse(other))

/** A schedule belongs to one actor, or to actors who work together. */
export const isSameSchedule = (one: Slot, other: Slot, baseUrl: string): boolean =>
  scheduleOf(one, baseUrl) === scheduleOf(other, baseUrl)

const scheduleOf = ({ schedule: { reference = '' } }: Slot, baseUrl: string): string => addressOf(reference, baseUrl)

/**
 * An appointment uses one schedule only: slots of two practitioners need two appointments.
 * @throws FhirError 422 naming the slots
 */
export function checkOneSchedule(slots: readonly Slot[], baseUrl: string): void {
  const [first] = slots
  const other = slots.find((slot) => first !== undefined && !isSameSchedule(first, slot, baseUrl))
  if (first === undefined || other === undefined) return
  throw unprocessable(
    `Slot/${first.id} is of ${scheduleOf(first, baseUrl)} and Slot/${other.id} of ${scheduleOf(other, baseUrl)}; an appointment takes slots of one schedule, so make an appointment for each`,
    { expression: 'Appointment.slot', reason: 'slots-of-two-schedules' },
  )
}

type Times = Pick<Appointment, 'start' | 'end'>

/**
 * Slots may be booked together if they are contiguous; the appointment starts with the first and ends with the last.
 * @throws FhirError 422 naming the element that does not match
 */
export function checkTimes(appointment: Times, slots: readonly Slot[]): void {
  const problem = problemOfTimes(appointment, slots)
  if (problem !== undefined) throw problem
}

/** Whether `checkTimes` passes. */
export const fits = (appointment: Times, slots: readonly Slot[]): boolean =>
  problemOfTimes(appointment, slots) === undefined

function problemOfTimes({ start, end }: Times, slots: readonly Slot[]): FhirError | undefined {
  const inOrder = [...slots].sort((a, b) => timeOf(a.start) - timeOf(b.start))
  const [first] = inOrder
  const last = inOrder.at(-1)
  if (first === undefined || last === undefined) return undefined
  for (const [index, slot] of inOrder.entries()) {
    const next = inOrder[index + 1]
    if (next !== undefined && timeOf(next.start) !== timeOf(slot.end)) {
      return unprocessable(
        `The slots do not follow one another: one ends at ${slot.end}, the next starts at ${next.start}`,
        { expression: 'Appointment.slot' },
      )
    }
  }
  return problemOfTime('start', start, first.start) ?? problemOfTime('end', end, last.end)
}

function problemOfTime(
  element: 'start' | 'end',
  given: string | undefined,
  slotTime: string | undefined,
): FhirError | undefined {
  if (given !== undefined && timeOf(given) === timeOf(slotTime)) return undefined
  return unprocessable(
    `Appointment.${element} is ${given ?? 'missing'}, but its slots ${element} at ${slotTime}; they must be equal`,
    { expression: `Appointment.${element}` },
  )
}

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
