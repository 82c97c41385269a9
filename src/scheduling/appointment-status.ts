/** Status transitions of an Appointment: https://hl7.org/fhir/R4/valueset-appointmentstatus.html. */
import type { Appointment, Slot } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'

/** Undefined if an extension replaces the status: nothing is known of the visit, so it counts as waiting. */
export type AppointmentStatus = Appointment['status']

/** Permitted transitions, in addition to entered-in-error, which is final and can be reached from any status. */
const TRANSITIONS: Readonly<Record<NonNullable<AppointmentStatus>, readonly AppointmentStatus[]>> = {
  proposed: ['pending', 'booked', 'cancelled', 'waitlist'],
  pending: ['booked', 'cancelled'],
  waitlist: ['proposed', 'booked', 'cancelled'],
  booked: ['arrived', 'checked-in', 'cancelled', 'noshow'],
  arrived: ['checked-in', 'fulfilled', 'cancelled', 'noshow'],
  'checked-in': ['fulfilled', 'cancelled'],
  fulfilled: [],
  cancelled: [],
  noshow: [],
  'entered-in-error': [],
}

/** @throws FhirError 422 naming the current status and the permitted ones */
export function checkStatusTransition(from: AppointmentStatus, to: AppointmentStatus): void {
  if (from === undefined) return
  const allowed = from === 'entered-in-error' ? [] : [...TRANSITIONS[from], 'entered-in-error']
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

/** The stage of the visit: waiting for a time, planned at a time, or recorded as having taken place or not. */
export function stageOf(status: AppointmentStatus): 'waiting' | 'planned' | 'recorded' {
  switch (status) {
    case undefined:
    case 'waitlist':
      return 'waiting'
    case 'proposed':
    case 'pending':
    case 'booked':
      return 'planned'
    case 'arrived':
    case 'checked-in':
    case 'fulfilled':
    case 'cancelled':
    case 'noshow':
    case 'entered-in-error':
      return 'recorded'
  }
}

/** Whether the visit is over or will not take place, so that replies are no longer accepted. */
export function isOver(status: AppointmentStatus): boolean {
  switch (status) {
    case 'fulfilled':
    case 'cancelled':
    case 'noshow':
    case 'entered-in-error':
      return true
    case 'proposed':
    case 'pending':
    case 'waitlist':
    case 'booked':
    case 'arrived':
    case 'checked-in':
    case undefined:
      return false
  }
}

/** Statuses that count towards a clinic's limit of open appointments per patient. */
export const OPEN_STATUSES: readonly AppointmentStatus[] = ['pending', 'booked']

/** The status of the slots of an appointment; undefined if it does not hold them, so that they are free. */
export function slotStatusFor(status: AppointmentStatus): Slot['status'] | undefined {
  switch (status) {
    case 'pending':
      return 'busy-tentative'
    case 'booked':
    case 'arrived':
    case 'checked-in':
    case 'fulfilled':
    case 'noshow':
      return 'busy'
    case 'proposed':
    case 'waitlist':
    case 'cancelled':
    case 'entered-in-error':
    case undefined:
      return undefined
  }
}

/** Statuses in which an appointment holds its slots. */
export const SLOT_HOLDING_STATUSES: readonly AppointmentStatus[] = (
  Object.keys(TRANSITIONS) as AppointmentStatus[]
).filter((status) => slotStatusFor(status) !== undefined)
