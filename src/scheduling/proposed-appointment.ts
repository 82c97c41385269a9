/** The Appointment that a patient is offered for free Slots: https://hl7.org/fhir/R4/appointment.html. */
import type {
  Appointment,
  AppointmentParticipant,
  CodeableConcept,
  Identifier,
  Reference,
  Schedule,
  Slot,
} from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import { conceptOf, isAmong, visitKindIn } from './visit-type.ts'

/** What a search for times says about the visit, besides when and where. */
export interface VisitContext {
  /** As `Patient/<id>`; several make a group visit. */
  readonly patients?: readonly string[]
  /** In order of preference: words, codes, or `system|code`. */
  readonly visitTypes?: readonly string[]
  /** The same. */
  readonly reasons?: readonly string[]
  /** Identifier of the ServiceRequest. */
  readonly referral?: Identifier
  readonly insurances?: readonly Reference[]
}

interface Proposed {
  readonly schedule: Schedule
  /** In order, each beginning where the one before ends. */
  readonly slots: readonly [Slot, ...Slot[]]
  /** Who takes part besides the patients. */
  readonly actors: readonly Reference[]
}

const MINUTE = 60_000

/** A Slot says what takes place in it, else its Schedule does: https://hl7.org/fhir/R4/slot-definitions.html#Slot.serviceType. */
export const servicesAt = (schedule: Schedule | undefined, slot: Slot) => ({
  serviceCategory: slot.serviceCategory ?? schedule?.serviceCategory,
  serviceType: slot.serviceType ?? schedule?.serviceType,
  specialty: slot.specialty ?? schedule?.specialty,
})

/** Those that are the first of the visit types that any of them is; all of them where none is. */
function askedServices(
  services: readonly CodeableConcept[] | undefined,
  visitTypes: readonly string[],
): CodeableConcept[] | undefined {
  const asked = visitTypes.map((text) => services?.filter((service) => isAmong([service], text)) ?? [])
  const chosen = asked.find((some) => some.length > 0) ?? services
  return chosen && [...chosen]
}

export function proposedAppointment({ schedule, slots, actors }: Proposed, context: VisitContext): Appointment {
  const [first] = slots
  const { start } = first
  const { end } = slots.at(-1) ?? first
  const { patients = [], visitTypes = [], reasons = [], referral, insurances = [] } = context
  const { serviceCategory, serviceType: services, specialty } = servicesAt(schedule, first)
  const serviceType = askedServices(services, visitTypes)
  const appointmentType = first.appointmentType ?? visitKindIn(schedule, first, visitTypes)?.type?.type
  return {
    resourceType: 'Appointment',
    status: 'proposed',
    ...(serviceCategory === undefined ? {} : { serviceCategory }),
    ...(serviceType === undefined ? {} : { serviceType }),
    ...(specialty === undefined ? {} : { specialty }),
    ...(appointmentType === undefined ? {} : { appointmentType }),
    ...(reasons.length === 0 ? {} : { reasonCode: reasons.map(conceptOf) }),
    ...(insurances.length === 0 ? {} : { supportingInformation: [...insurances] }),
    start,
    end,
    ...minutesBetween(start, end),
    slot: slots.map(({ id }) => ({ reference: `Slot/${id}` })),
    ...(referral === undefined ? {} : { basedOn: [{ type: 'ServiceRequest', identifier: referral }] }),
    participant: [...patients.map((reference) => ({ reference })), ...actors].map(needsAction),
  }
}

const needsAction = (actor: Reference): AppointmentParticipant => ({ actor, status: 'needs-action' })

/** Appointment.minutesDuration is a positive number. */
function minutesBetween(start: string | undefined, end: string | undefined): Pick<Appointment, 'minutesDuration'> {
  const minutes = Math.floor((timeOf(end) - timeOf(start)) / MINUTE)
  return minutes > 0 ? { minutesDuration: minutes } : {}
}
