/** Appointment and Encounter. */
import type { Appointment, Encounter } from 'fhir/r4'
import { DAYS_OF_YEAR, WORKDAYS_OF_YEAR } from '../calendar.ts'
import type { Findings } from '../course.ts'
import type { Person } from '../people.ts'
import { VISIT_TYPES } from '../tables/clinic.ts'
import { CHECKUP_REASONS, type Code } from '../tables/medicine.ts'
import type { Visit } from '../visits.ts'
import {
  coded,
  conformsTo,
  encounterOf,
  hl7,
  ICD_10,
  LOCATION,
  ORGANIZATION,
  practitionerReference,
  type Source,
  subjectOf,
  timeOf,
} from './common.ts'

/** Minutes: a visit, and the part of it that is spent with the practitioner. */
const LENGTH = 30
const SEEN = 24

/** Working days between the making of an appointment and the visit. */
const MADE = { acute: 1, others: 20 } as const

const appointmentId = (person: { readonly id: string }, { number }: Visit): string => `${person.id}-visit-${number}`

export function appointmentOf({ person, calendar }: Source, visit: Visit): Appointment & { id: string } {
  const { appointment, text } = VISIT_TYPES[visit.kind]
  return {
    ...{ resourceType: 'Appointment', id: appointmentId(person, visit) },
    status: statusOf(visit),
    ...(visit.status === 'cancelled' && { cancelationReason: CANCELLED }),
    appointmentType: { ...hl7('v2-0276', appointment.code, appointment.display), text },
    description: text,
    start: timeOf(calendar, visit),
    end: timeOf(calendar, visit, LENGTH),
    minutesDuration: LENGTH,
    created: calendar.at(madeOn(person, visit), 10 * 60),
    participant: [
      { actor: subjectOf(person), required: 'required', status: 'accepted' },
      { actor: practitionerReference(visit.practitioner), required: 'required', status: 'accepted' },
      { actor: LOCATION, status: 'accepted' },
    ],
  }
}

/** The working day on which the visit was made: before the clinic's day, and not before birth. */
function madeOn({ days }: Person, { kind, workday }: Visit): number {
  const birth = Math.ceil((-days * WORKDAYS_OF_YEAR) / DAYS_OF_YEAR)
  const made = Math.max(workday - (kind === 'acute' ? MADE.acute : MADE.others), birth + MADE.others)
  return Math.min(made, workday, -1)
}

const CANCELLED = hl7('appointment-cancellation-reason', 'pat', 'Patient')

/** A booked visit of the clinic's day follows the clock (placeholders.ts). */
const statusOf = ({ status }: Visit): Appointment['status'] =>
  status === 'booked' ? ({ $status: 'booked' } as unknown as 'booked') : status

export function encounterResource(source: Source, { visit, illness }: Findings): Encounter & { id: string } {
  const { person, calendar } = source
  const start = timeOf(calendar, visit)
  const end = timeOf(calendar, visit, SEEN)
  const reason: Code | undefined = illness ?? reasonOf(source, visit)
  return {
    ...{ resourceType: 'Encounter', id: encounterOf(person, visit).reference?.slice('Encounter/'.length) ?? '' },
    meta: conformsTo('us-core-encounter'),
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB', display: 'ambulatory' },
    type: [{ text: VISIT_TYPES[visit.kind].text }],
    subject: subjectOf(person),
    participant: [
      {
        type: [hl7('v3-ParticipationType', 'PPRF', 'primary performer')],
        period: { start, end },
        individual: practitionerReference(visit.practitioner),
      },
    ],
    appointment: [{ reference: `Appointment/${appointmentId(person, visit)}` }],
    period: { start, end },
    ...(reason && { reasonCode: [coded(ICD_10, reason)] }),
    ...(illness && {
      diagnosis: [
        { condition: { reference: `Condition/${person.id}-illness-${visit.number}`, display: illness.display } },
      ],
    }),
    location: [{ location: LOCATION }],
    serviceProvider: ORGANIZATION,
  }
}

/** The reason of a check-up; of a follow-up, the first problem that it is for. */
function reasonOf({ problems }: Source, { kind, workday }: Visit): Code | undefined {
  if (kind === 'checkup') return CHECKUP_REASONS.adult
  if (kind === 'wellChild') return CHECKUP_REASONS.child
  return problems.find(
    ({ condition, found }) => condition.followUp !== undefined && (found?.workday ?? workday) <= workday,
  )?.condition
}
