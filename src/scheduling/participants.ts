/** Participants of an appointment when it is booked, confirmed or moved: https://hl7.org/fhir/R4/appointment.html. */
import type { Appointment, AppointmentParticipant, Reference } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'
import { addressOf, localReference } from '../fhir/reference.ts'

type Participants = readonly AppointmentParticipant[]

/** Accepts on behalf of participants who have not replied: booked means that all participants were considered. */
export const withAnswers = (participants: Participants): AppointmentParticipant[] =>
  participants.map((one) => (one.status === 'needs-action' ? { ...one, status: 'accepted' } : one))

/** Adds these patients as participants who have accepted. @param patients references, such as `Patient/1` */
export function withPatients(
  participants: Participants,
  patients: readonly string[],
  baseUrl: string,
): AppointmentParticipant[] {
  const addressIn = addressWith(baseUrl)
  const coming = new Set(patients.map((reference) => addressOf(reference, baseUrl)))
  const known = new Set(participants.map(({ actor }) => addressIn(actor)))
  const added = [...coming].filter((address) => !known.has(address))
  return [
    ...participants.map((one) => (coming.has(addressIn(one.actor)) ? accepted(one) : one)),
    ...added.map((reference): AppointmentParticipant => ({ actor: { reference }, status: 'accepted' })),
  ]
}

const accepted = (one: AppointmentParticipant): AppointmentParticipant =>
  one.status === 'accepted' ? one : { ...one, status: 'accepted' }

/** The address of a reference; empty if there is none. */
const addressWith =
  (baseUrl: string) =>
  (actor: Reference | undefined): string =>
    addressOf(actor?.reference ?? '', baseUrl)

/**
 * Accepts the participation of one patient.
 * @param patient a reference; absent: the only patient
 * @throws FhirError 422 if the patient does not participate, or none is named and there is not exactly one
 */
export function withConfirmation(
  { participant }: Pick<Appointment, 'participant'>,
  patient: string | undefined,
  baseUrl: string,
): AppointmentParticipant[] {
  const addressIn = addressWith(baseUrl)
  const isMeant = ({ actor }: AppointmentParticipant): boolean =>
    patient === undefined
      ? localReference(actor?.reference ?? '', baseUrl)?.type === 'Patient'
      : addressIn(actor) === addressOf(patient, baseUrl)
  const count = participant.filter(isMeant).length
  if (patient === undefined && count > 1) {
    throw unprocessable(`The appointment has ${count} patients; name the one who confirms, as patient`, {
      expression: 'patient',
      reason: 'patient-not-named',
    })
  }
  if (patient !== undefined && count === 0) {
    throw unprocessable(`${patient} does not participate in the appointment; name a patient who does`, {
      expression: 'patient',
      reason: 'not-a-participant',
    })
  }
  return participant.map((one) => (isMeant(one) ? accepted(one) : one))
}

/** Replaces the actors of the old schedule by those of the new one. */
export function withActors(
  participants: Participants,
  before: readonly Reference[],
  after: readonly Reference[],
  baseUrl: string,
): AppointmentParticipant[] {
  const addressIn = addressWith(baseUrl)
  const coming = new Set(after.map(addressIn))
  const leaving = new Set(before.map(addressIn).filter((address) => address !== '' && !coming.has(address)))
  const kept = participants.filter(({ actor }) => !leaving.has(addressIn(actor)))
  const known = new Set(kept.map(({ actor }) => addressIn(actor)).filter(Boolean))
  const added = after.filter((actor) => !known.has(addressIn(actor)))
  return [...kept, ...added.map((actor): AppointmentParticipant => ({ actor, status: 'accepted' }))]
}
