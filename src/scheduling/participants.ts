/** Participants of an appointment when it is booked, confirmed, moved or replied to: https://hl7.org/fhir/R4/appointment.html. */
import type { Appointment, AppointmentParticipant, AppointmentResponse, CodeableConcept, Reference } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'
import { addressOf, localReference } from '../fhir/reference.ts'
import { isOver } from './appointment-status.ts'
import { codesOf } from './visit-type.ts'

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

/**
 * https://hl7.org/fhir/R4/appointmentresponse.html: the participants with the status of the reply; the same object if nothing changes.
 * @throws FhirError 422 if the reply is not from a participant, or the appointment is over
 */
export function participantsAfter(
  { status, participant }: Appointment,
  reply: AppointmentResponse,
  baseUrl: string,
): Appointment['participant'] {
  const { participantStatus: replied } = reply
  const index = indexOfReply(participant, reply, baseUrl)
  const current = participant[index]
  if (current === undefined) throw noParticipant()
  const actor = current.actor ?? reply.actor
  if (current.status === replied && current.actor === actor) return participant
  if (isOver(status)) {
    throw unprocessable(
      `The appointment is ${status}, so nobody replies to it any more; reply to one that is yet to come`,
      {
        expression: 'AppointmentResponse.appointment',
        reason: 'appointment-over',
      },
    )
  }
  return participant.with(index, { ...current, ...(actor === undefined ? {} : { actor }), status: replied })
}

const noParticipant = () =>
  unprocessable(
    'The appointment has no participant with this actor or participantType; name one as Appointment.participant does',
    { expression: 'AppointmentResponse.actor', reason: 'not-a-participant' },
  )

/**
 * Finds the participant by actor, and if there are several, by type. A participant without an actor is found by type
 * ("If the actor is not specified, then it is expected that the actor will be filled in at a later stage of
 * planning"). -1: there is none.
 */
function indexOfReply(participants: Appointment['participant'], reply: AppointmentResponse, baseUrl: string): number {
  const isOfType = ({ type = [] }: AppointmentParticipant) => shareCoding(type, reply.participantType ?? [])
  const replier = reply.actor?.reference
  const isOfActor = ({ actor }: AppointmentParticipant) =>
    replier !== undefined && addressOf(actor?.reference ?? '', baseUrl) === addressOf(replier, baseUrl)
  const choices = [
    (one: AppointmentParticipant) => isOfActor(one) && isOfType(one),
    isOfActor,
    (one: AppointmentParticipant) => one.actor === undefined && isOfType(one),
    (one: AppointmentParticipant) => reply.actor === undefined && isOfType(one),
  ]
  return choices.map((choice) => participants.findIndex(choice)).find((index) => index >= 0) ?? -1
}

const shareCoding = (some: readonly CodeableConcept[], others: readonly CodeableConcept[]): boolean => {
  const codes = new Set(codesOf(others))
  return codesOf(some).some((code) => codes.has(code))
}
