/**
 * Status transitions of an Appointment, https://hl7.org/fhir/R4/valueset-appointmentstatus.html, and the expiry of a held one,
 * as its extension shows it (docs/operations/appointment-hold.md).
 */
import type { Appointment, CodeableConcept, Slot } from 'fhir/r4'
import { conflict, type FhirError, unprocessable } from '../fhir/outcome.ts'

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

/** Length of a hold in minutes, unless the clinic's policy states another. */
export const DEFAULT_HOLD_MINUTES = 5

/** resources/structure-definitions/hold-expires.json */
export const HOLD_EXPIRES_URL = 'https://sandbox-emr.example/fhir/StructureDefinition/hold-expires'

const CANCELLATION_REASON = 'https://sandbox-emr.example/fhir/CodeSystem/cancellation-reason'
const EXPIRED = 'hold-expired'

const HOLD_EXPIRED: CodeableConcept = {
  coding: [{ system: CANCELLATION_REASON, code: EXPIRED, display: 'Hold expired' }],
  text: 'The hold expired before the appointment was booked',
}

/**
 * The appointment with the end of its hold, or without one if it is undefined; the same object if nothing changes.
 * @param end milliseconds since 1970 UTC
 */
export function withHoldEnd(appointment: Appointment, end: number | undefined): Appointment {
  const shown = appointment.extension?.filter(({ url }) => url === HOLD_EXPIRES_URL) ?? []
  const isRight = end === undefined ? shown.length === 0 : shown.length === 1 && holdEndOf(appointment) === end
  if (isRight) return appointment
  const { extension = [], ...rest } = appointment
  const others = extension.filter(({ url }) => url !== HOLD_EXPIRES_URL)
  const wanted = end === undefined ? others : [...others, extensionOf(end)]
  return wanted.length === 0 ? rest : { ...rest, extension: wanted }
}

const extensionOf = (end: number) => ({ url: HOLD_EXPIRES_URL, valueInstant: new Date(end).toISOString() })

/** Milliseconds since 1970 UTC; undefined for an appointment without an expiring hold. */
export function holdEndOf({ extension }: Appointment): number | undefined {
  const shown = extension?.find(({ url }) => url === HOLD_EXPIRES_URL)?.valueInstant
  return shown === undefined ? undefined : Date.parse(shown)
}

/** Whether the appointment keeps its time only for a while: it ends by itself, unless it is booked. */
export const isHold = (appointment: Appointment): boolean =>
  appointment.status === 'pending' && holdEndOf(appointment) !== undefined

/** The cancelled appointment, after its hold has expired. */
export const cancelledByExpiry = (appointment: Appointment): Appointment => ({
  ...appointment,
  status: 'cancelled',
  cancelationReason: HOLD_EXPIRED,
})

/** Whether it was cancelled because its hold expired. */
export const isCancelledByExpiry = ({ status, cancelationReason }: Appointment): boolean =>
  status === 'cancelled' &&
  cancelationReason?.coding?.some(({ system, code }) => system === CANCELLATION_REASON && code === EXPIRED) === true

/**
 * Checks whether the appointment may have this status.
 * @throws FhirError 409 if its hold has expired, 422 for a transition that its status does not permit
 */
export function checkMayBecome(appointment: Appointment, to: AppointmentStatus): void {
  if (isCancelledByExpiry(appointment) && stageOf(to) !== 'recorded') throw holdExpired(appointment.id)
  checkStatusTransition(appointment.status, to)
}

/** FhirError 409. */
export const holdExpired = (id: string | undefined): FhirError =>
  conflict(
    `The hold of Appointment/${id} has expired, so its time is free for others; find a time that is free now and hold or book that ($find, Slot?status=free)`,
    { expression: 'Appointment.status', reason: EXPIRED },
  )
