/** The people of the table of magic people (rehearsal/magic/table.ts) as resources of a scenario. docs/magic.md */
import type { Extension, Reference } from 'fhir/r4'
import { AVAILABILITY_URL } from '../../scheduling/availability.ts'
import { slotIdAt } from '../../scheduling/generated-slot.ts'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { type MagicPatient, type MagicRow, magic } from '../magic/table.ts'
import { type ClinicDay, changesClocks, dateAt } from './moments.ts'
import type { ScenarioResource } from './scenario.ts'

const DAY = 86_400_000
const HALF_HOUR = 1_800_000

/** Every Patient of the table. */
export const magicPatients = (): readonly ScenarioResource[] =>
  magic.patients.flatMap((row) => [...(row.resources ?? []), ...namesakesOf(row)])

/** People of one family name, born 97 days apart. */
const namesakesOf = ({ namesakes, with: { family = '' } }: MagicPatient): readonly ScenarioResource[] =>
  (namesakes?.split(' ') ?? []).map((given, index) => {
    const number = String(index + 1).padStart(3, '0')
    const birthDate = new Date(Date.UTC(1940, 0, 1) + (index + 1) * 97 * DAY).toISOString().slice(0, 10)
    return {
      resourceType: 'Patient',
      id: `magic-${family.toLowerCase()}-${number}`,
      identifier: [{ system: RECORD_NUMBER, value: `MZ-2${number}` }],
      active: true,
      name: [{ use: 'official', family, given: [given] }],
      birthDate,
    }
  })

const RECORD_NUMBER = 'https://sandbox-emr.example/fhir/sid/medical-record-number'

/** Every practitioner of the table, each with a role and a Schedule at the main office of `quiet-week`. */
export const magicPractitioners = (day: ClinicDay): readonly ScenarioResource[] =>
  magic.practitioners.flatMap((row) =>
    row.name === 'fall' ? practitionerFall(day) : practitionerOf(row, row.expect.free === false ? [] : HOURS),
  )

/** The practitioner of the nights in which the clocks change, whose Slots come twice in the hour that does. */
export function practitionerFall(day: ClinicDay): readonly ScenarioResource[] {
  const row = magic.practitioners.find(({ name }) => name === 'fall')
  if (row === undefined) return []
  const there = changesClocks(day) ? day : { ...day, timeZone: ELSEWHERE }
  const [forward, back] = ['clocks-forward', 'clocks-back'].map((night) => dateAt(night, there))
  const nights = [forward, back].map((date = '') => specialTime(date))
  return [
    ...practitionerOf(row, [...hoursOf(366), part('timeZone', { valueCode: there.timeZone }), ...nights]),
    ...repeatedTimes(back ?? '', there).map((start) => freeSlot('schedule-fall', start, there)),
  ]
}

/** In place of a zone whose clocks are never changed. */
const ELSEWHERE = 'America/New_York'

/** @param hours parts of the Schedule's availability; none: it has no Slots */
function practitionerOf(
  { name, with: { family = '', given = '', gender } }: MagicRow,
  hours: readonly Extension[],
): readonly ScenarioResource[] {
  const display = `Dr. ${given} ${family}`
  const actor: Reference = { reference: `Practitioner/practitioner-${name}`, display }
  return [
    {
      resourceType: 'Practitioner',
      id: `practitioner-${name}`,
      active: true,
      name: [{ use: 'official', family, given: [given], prefix: ['Dr.'], suffix: ['MD'] }],
      gender,
    },
    {
      resourceType: 'PractitionerRole',
      id: `role-${name}`,
      active: true,
      practitioner: actor,
      organization: { reference: 'Organization/{clinic}', display: '{clinic-name}' },
      specialty: SPECIALTY,
      location: [OFFICE],
    },
    {
      resourceType: 'Schedule',
      id: `schedule-${name}`,
      ...(hours.length > 0 && { extension: [{ url: AVAILABILITY_URL, extension: hours }] }),
      active: true,
      serviceType: SERVICE,
      specialty: SPECIALTY,
      actor: [actor, OFFICE],
      comment: `Visits with ${display} at Maple Street`,
    },
  ]
}

const OFFICE: Reference = { reference: 'Location/location-maple-street', display: 'Maple Street' }
const SERVICE = [
  {
    coding: [
      {
        system: 'http://terminology.hl7.org/CodeSystem/service-type',
        code: '124',
        display: 'General Practice',
      },
    ],
  },
]
const SPECIALTY = [{ coding: [{ system: 'http://snomed.info/sct', code: '419772000', display: 'Family practice' }] }]

const part = (url: string, value: Omit<Extension, 'url'>): Extension => ({ url, ...value })

const hoursOf = (days: number): readonly Extension[] => [
  part('slotMinutes', { valuePositiveInt: 30 }),
  part('horizonDays', { valuePositiveInt: days }),
]

const HOURS: readonly Extension[] = [
  ...hoursOf(14),
  part('availableTime', {
    extension: [
      ...['mon', 'tue', 'wed', 'thu', 'fri'].map((valueCode) => part('daysOfWeek', { valueCode })),
      part('availableStartTime', { valueTime: '09:00:00' }),
      part('availableEndTime', { valueTime: '17:00:00' }),
    ],
  }),
]

/** The small hours of a night. */
const specialTime = (valueDate: string): Extension =>
  part('specialTime', {
    extension: [
      part('date', { valueDate }),
      part('availableStartTime', { valueTime: '00:00:00' }),
      part('availableEndTime', { valueTime: '05:00:00' }),
    ],
  })

/** The half hours of a night that the clocks show for the second time, which generation offers only once. */
function repeatedTimes(date: string, { timeZone }: ClinicDay): readonly number[] {
  const halfHours = Array.from({ length: 10 }, (_, index) => Date.parse(date) + index * HALF_HOUR)
  return halfHours.flatMap((time) => clockOf(timeZone).instantsOf(time).slice(1))
}

function freeSlot(schedule: string, start: number, { timeZone }: ClinicDay): ScenarioResource {
  const [begin, end] = [start, start + HALF_HOUR].map((time) => clockOf(timeZone).format(time))
  return {
    resourceType: 'Slot',
    id: slotIdAt(schedule, start),
    serviceType: SERVICE,
    specialty: SPECIALTY,
    schedule: { reference: `Schedule/${schedule}` },
    status: 'free',
    start: begin,
    end,
  }
}
