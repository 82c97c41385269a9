/** Status transitions of an Appointment: https://hl7.org/fhir/R4/valueset-appointmentstatus.html. */
import type { Appointment, Slot } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'

/** Undefined if an extension replaces the status: nothing is known of the visit, so it counts as waiting. */
export type AppointmentStatus = Appointment['status']

interface StatusRules {
  /** Permitted transitions, in addition to entered-in-error, which is final and can be reached from any status. */
  readonly next: readonly AppointmentStatus[]
  /** The visit waits for a time, is planned at a time, or is recorded as having taken place or not. */
  readonly stage: 'waiting' | 'planned' | 'recorded'
  /** The status of the slots that the appointment holds; absent: it holds none, so that they are free. */
  readonly slots?: Slot['status']
  /** The visit is over or will not take place, so that replies are no longer accepted. */
  readonly isOver?: true
}

const RULES: Readonly<Record<NonNullable<AppointmentStatus>, StatusRules>> = {
  proposed: { next: ['pending', 'booked', 'cancelled', 'waitlist'], stage: 'planned' },
  pending: { next: ['booked', 'cancelled'], stage: 'planned', slots: 'busy-tentative' },
  waitlist: { next: ['proposed', 'booked', 'cancelled'], stage: 'waiting' },
  booked: { next: ['arrived', 'checked-in', 'cancelled', 'noshow'], stage: 'planned', slots: 'busy' },
  arrived: { next: ['checked-in', 'fulfilled', 'cancelled', 'noshow'], stage: 'recorded', slots: 'busy' },
  'checked-in': { next: ['fulfilled', 'cancelled'], stage: 'recorded', slots: 'busy' },
  fulfilled: { next: [], stage: 'recorded', slots: 'busy', isOver: true },
  cancelled: { next: [], stage: 'recorded', isOver: true },
  noshow: { next: [], stage: 'recorded', slots: 'busy', isOver: true },
  'entered-in-error': { next: [], stage: 'recorded', isOver: true },
}

/** @throws FhirError 422 naming the current status and the permitted ones */
export function checkStatusTransition(from: AppointmentStatus, to: AppointmentStatus): void {
  if (from === undefined) return
  const allowed = from === 'entered-in-error' ? [] : [...RULES[from].next, 'entered-in-error']
  if (from === to || allowed.includes(to)) return
  const offer = allowed.length === 0 ? 'no other status' : allowed.join(', ')
  throw unprocessable(
    `An appointment that is ${from} cannot become ${to ?? 'one without a status'}; it can become ${offer}`,
    {
      expression: 'Appointment.status',
      reason: 'illegal-status-move',
    },
  )
}

/** A visit without a status, which an extension replaces, counts as waiting. */
export const stageOf = (status: AppointmentStatus): StatusRules['stage'] =>
  status === undefined ? 'waiting' : RULES[status].stage

export const isOver = (status: AppointmentStatus): boolean => status !== undefined && RULES[status].isOver === true

/** Statuses that count towards a clinic's limit of open appointments per patient. */
export const OPEN_STATUSES: readonly AppointmentStatus[] = ['pending', 'booked']

/** The status of the slots of an appointment; undefined if it does not hold them, so that they are free. */
export const slotStatusFor = (status: AppointmentStatus): Slot['status'] | undefined =>
  status === undefined ? undefined : RULES[status].slots

/** Statuses in which an appointment holds its slots. */
export const SLOT_HOLDING_STATUSES: readonly AppointmentStatus[] = (Object.keys(RULES) as AppointmentStatus[]).filter(
  (status) => slotStatusFor(status) !== undefined,
)
