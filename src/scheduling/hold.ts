/**
 * The expiry of a held Appointment, as its extension shows it, and the result of the expiry.
 * docs/operations/appointment-hold.md
 */
import type { Appointment, CodeableConcept } from 'fhir/r4'
import { conflict, type FhirError } from '../fhir/outcome.ts'
import { type AppointmentStatus, checkStatusTransition, stageOf } from './appointment-status.ts'

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
