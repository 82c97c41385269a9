/** The proposed Appointment for free Slots: https://hl7.org/fhir/R4/appointment.html. */
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

/** Details of the visit in a search for times, other than time and place. */
export interface VisitContext {
  /** As `Patient/<id>`; several make a group visit. */
  readonly patients?: readonly string[]
  /** In order of preference: words, codes, or `system|code`. */
  readonly visitTypes?: readonly string[]
  /** In the same form as visitTypes. */
  readonly reasons?: readonly string[]
  /** Identifier of the ServiceRequest. */
  readonly referral?: Identifier
  readonly insurances?: readonly Reference[]
}

interface Proposed {
  readonly schedule: Schedule
  /** Sorted; each begins where the previous one ends. */
  readonly slots: readonly [Slot, ...Slot[]]
  /** Participants other than the patients. */
  readonly actors: readonly Reference[]
}

const MINUTE = 60_000

/**
 * The services of a Slot are its own, else those of its Schedule:
 * https://hl7.org/fhir/R4/slot-definitions.html#Slot.serviceType.
 */
export const servicesAt = (schedule: Schedule | undefined, slot: Slot) => ({
  serviceCategory: slot.serviceCategory ?? schedule?.serviceCategory,
  serviceType: slot.serviceType ?? schedule?.serviceType,
  specialty: slot.specialty ?? schedule?.specialty,
})

/** The services that match the first visit type matched by any of them; all services if none is matched. */
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

/** Appointment.minutesDuration must be positive. */
function minutesBetween(start: string | undefined, end: string | undefined): Pick<Appointment, 'minutesDuration'> {
  const minutes = Math.floor((timeOf(end) - timeOf(start)) / MINUTE)
  return minutes > 0 ? { minutesDuration: minutes } : {}
}
