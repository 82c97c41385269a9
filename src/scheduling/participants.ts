/** Who takes part in an appointment when it is booked, confirmed or moved: https://hl7.org/fhir/R4/appointment.html. */
import type { Appointment, AppointmentParticipant, Reference } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'
import { addressOf, localReference } from '../fhir/reference.ts'

type Participants = readonly AppointmentParticipant[]

/** What is booked is settled, for those too who were only asked: booked means that all participants were considered. */
export const withAnswers = (participants: Participants): AppointmentParticipant[] =>
  participants.map((one) => (one.status === 'needs-action' ? { ...one, status: 'accepted' } : one))

/** With these patients, who come. @param patients references, such as `Patient/1` */
export function withPatients(
  participants: Participants,
  patients: readonly string[],
  baseUrl: string,
): AppointmentParticipant[] {
  const added = patients.filter((patient) => !participants.some((one) => isOf(one, patient, baseUrl)))
  return [
    ...participants.map((one) => (patients.some((patient) => isOf(one, patient, baseUrl)) ? accepted(one) : one)),
    ...added.map((reference): AppointmentParticipant => ({ actor: { reference }, status: 'accepted' })),
  ]
}

const accepted = (one: AppointmentParticipant): AppointmentParticipant =>
  one.status === 'accepted' ? one : { ...one, status: 'accepted' }

const isOf = ({ actor }: AppointmentParticipant, reference: string, baseUrl: string): boolean =>
  actor?.reference !== undefined && addressOf(actor.reference, baseUrl) === addressOf(reference, baseUrl)

/**
 * The participation of one patient is accepted.
 * @param patient a reference; absent: the only patient there is
 * @throws FhirError 422 when the patient does not participate, or there are several and none is named
 */
export function withConfirmation(
  { participant }: Pick<Appointment, 'participant'>,
  patient: string | undefined,
  baseUrl: string,
): AppointmentParticipant[] {
  const isMeant = (one: AppointmentParticipant): boolean =>
    patient === undefined ? isPatient(one, baseUrl) : isOf(one, patient, baseUrl)
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

const isPatient = ({ actor }: AppointmentParticipant, baseUrl: string): boolean =>
  localReference(actor?.reference ?? '', baseUrl)?.type === 'Patient'

/** With the actors of the new schedule in place of those of the old one. */
export function withActors(
  participants: Participants,
  before: readonly Reference[],
  after: readonly Reference[],
  baseUrl: string,
): AppointmentParticipant[] {
  const isAmong = (one: AppointmentParticipant, actors: readonly Reference[]): boolean =>
    actors.some(({ reference }) => reference !== undefined && isOf(one, reference, baseUrl))
  const kept = participants.filter((one) => isAmong(one, after) || !isAmong(one, before))
  const added = after.filter((actor) => !kept.some((one) => isAmong(one, [actor])))
  return [...kept, ...added.map((actor): AppointmentParticipant => ({ actor, status: 'accepted' }))]
}
