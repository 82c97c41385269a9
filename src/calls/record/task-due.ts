/** Due time of a Task for staff, as Task.restriction.period.end: the business rule of the work list. */
import type { Task } from 'fhir/r4'

type Priority = NonNullable<Task['priority']>

const HOUR = 3_600_000

/** Milliseconds from creation to the due time. https://hl7.org/fhir/R4/valueset-request-priority.html */
const TIME_TO_DO: Readonly<Record<Priority, number>> = {
  stat: HOUR,
  asap: 4 * HOUR,
  urgent: 24 * HOUR,
  routine: 72 * HOUR,
}

/** @param now milliseconds since 1970 UTC */
export const dueBy = (priority: Priority, now: number): NonNullable<Task['restriction']> => ({
  period: { end: new Date(now + TIME_TO_DO[priority]).toISOString() },
})

/** The earlier of two due times, so that additions to an open Task never postpone it. */
export const earlierDue = (one: Task['restriction'], other: Task['restriction']): Task['restriction'] =>
  endOf(one) <= endOf(other) ? one : other

const endOf = (restriction: Task['restriction']): number => {
  const end = Date.parse(restriction?.period?.end ?? '')
  return Number.isNaN(end) ? Infinity : end
}
