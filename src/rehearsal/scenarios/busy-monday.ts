/** The scenario `busy-monday`: the practice of `quiet-week`, whose next Monday is booked but for two times. */
import type { AppointmentParticipant, Schedule } from 'fhir/r4'
import { builtInScenario } from './built-in.ts'
import type { Scenario, ScenarioResource } from './scenario.ts'

/** The next Monday, or the first working day after it where it is a public holiday. */
const MONDAY = 'next-monday-1d+1wd'

/** Half hours in which each Schedule has visits: times of `moments.ts`, from one on so many. */
const OPEN = [
  { schedule: 'schedule-okafor', from: 'T08:30', halfHours: 7 },
  { schedule: 'schedule-okafor', from: 'T13:00', halfHours: 9 },
  { schedule: 'schedule-lindqvist', from: 'T09:00', halfHours: 6 },
  { schedule: 'schedule-lindqvist', from: 'T13:00', halfHours: 8 },
  { schedule: 'schedule-delgado', from: 'T10:00', halfHours: 6 },
  { schedule: 'schedule-delgado', from: 'T14:00', halfHours: 10 },
] as const

/** The two times that are left: 11:30 and 16:00. */
const FREE = new Set(['schedule-okafor T08:30+180', 'schedule-delgado T14:00+120'])

const BOOKED = OPEN.flatMap(({ schedule, from, halfHours }) =>
  Array.from({ length: halfHours }, (_, index) => ({ schedule, from, minutes: 30 * index })),
).filter(({ schedule, from, minutes }) => !FREE.has(`${schedule} ${from}+${minutes}`))

export const busyMonday: Scenario = {
  name: 'busy-monday',
  title: 'A busy Monday',
  version: '1.0.0',
  description: 'The practice of quiet-week, and a Monday on which two half hours are left: 11:30 and 16:00.',
  people: [
    { who: 'Dr. Amara Okafor', resource: 'Practitioner/practitioner-okafor', what: 'is free at 11:30' },
    { who: 'Rosa Delgado', resource: 'Practitioner/practitioner-delgado', what: 'is free at 16:00' },
  ],
  count: 92,
  resources: () => {
    const practice = builtInScenario('quiet-week')
      .resources()
      .filter(({ resourceType }) => resourceType !== 'Appointment' && resourceType !== 'DocumentReference')
    return [...practice, ...bookings(practice)]
  },
}

/** Patients take turns, so that nobody is in two places at once. */
function bookings(practice: readonly ScenarioResource[]): readonly ScenarioResource[] {
  const patients = practice.filter(({ resourceType }) => resourceType === 'Patient')
  const schedules = new Map(practice.map((resource) => [resource.id, resource]))
  return BOOKED.map(({ schedule, from, minutes }, index) => ({
    resourceType: 'Appointment',
    id: `appointment-monday-${index + 1}`,
    status: 'booked',
    start: { $at: `${MONDAY} ${from}+${minutes}` },
    end: { $at: `${MONDAY} ${from}+${minutes + 30}` },
    minutesDuration: 30,
    slot: [{ reference: { $slot: `${schedule} ${MONDAY} ${from}+${minutes}` } }],
    created: { $at: 'today-7d T10:15' },
    participant: [
      participant({ reference: `Patient/${patients[index % patients.length]?.id}` }),
      ...((schedules.get(schedule) as Schedule | undefined)?.actor ?? []).map(participant),
    ],
  }))
}

const participant = (actor: AppointmentParticipant['actor']): AppointmentParticipant => ({
  ...(actor && { actor }),
  required: 'required',
  status: 'accepted',
})
