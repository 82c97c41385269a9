/** Applies a reply to the participants of its appointment: https://hl7.org/fhir/R4/appointmentresponse.html. */
import type { Appointment, AppointmentParticipant, AppointmentResponse, CodeableConcept } from 'fhir/r4'
import { unprocessable } from '../fhir/outcome.ts'
import { addressOf } from '../fhir/reference.ts'
import { isOver } from './appointment-status.ts'
import { codesOf } from './visit-type.ts'

/**
 * The participants with the status of the reply; the same object if nothing changes.
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
