/** Availabilities for tests: as the extension of a Schedule, and as a plan. */
import type { Extension, Schedule } from 'fhir/r4'
import { AVAILABILITY_URL, DAYS_OF_WEEK, type SlotPlan, type WeeklyHours } from '../../src/scheduling/availability.ts'

export const part = (url: string, value: Omit<Extension, 'url'>): Extension => ({ url, ...value })

export const slotMinutes = (minutes: number): Extension => part('slotMinutes', { valuePositiveInt: minutes })
export const timeZone = (name: string): Extension => part('timeZone', { valueCode: name })
export const horizonDays = (days: number): Extension => part('horizonDays', { valuePositiveInt: days })

/** `09:00` is 09:00:00. */
const hours = (from: string, until: string): Extension[] => [
  part('availableStartTime', { valueTime: `${from}:00` }),
  part('availableEndTime', { valueTime: `${until}:00` }),
]

export const open = (
  from: string,
  until: string,
  days: readonly string[] = DAYS_OF_WEEK,
  appointmentType?: string,
): Extension => ({
  url: 'availableTime',
  extension: [
    ...days.map((day) => part('daysOfWeek', { valueCode: day })),
    ...hours(from, until),
    ...(appointmentType === undefined ? [] : [part('appointmentType', { valueCode: appointmentType })]),
  ],
})

export const pause = (from: string, until: string, days: readonly string[] = []): Extension => ({
  url: 'break',
  extension: [...days.map((day) => part('daysOfWeek', { valueCode: day })), ...hours(from, until)],
})

export const special = (date: string, from: string, until: string): Extension => ({
  url: 'specialTime',
  extension: [part('date', { valueDate: date }), ...hours(from, until)],
})

export const away = (start: string, end: string): Extension => ({
  url: 'notAvailable',
  extension: [part('during', { valuePeriod: { start, end } })],
})

export const appointmentType = (code: string, minutes: number, before = 0, after = 0): Extension => ({
  url: 'appointmentType',
  extension: [
    part('type', {
      valueCodeableConcept: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0276', code }] },
    }),
    part('minutes', { valuePositiveInt: minutes }),
    part('bufferBefore', { valueUnsignedInt: before }),
    part('bufferAfter', { valueUnsignedInt: after }),
  ],
})

export const availability = (...extension: Extension[]): Extension => ({ url: AVAILABILITY_URL, extension })

export const scheduleWith = (id: string, ...extension: Extension[]): Schedule & { readonly id: string } => ({
  resourceType: 'Schedule',
  id,
  extension: [availability(...extension)],
  actor: [{ reference: 'Practitioner/p' }],
})

/** Minutes of the day that `09:00` is. */
export const minuteAt = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

export const daily = (from: string, until: string): WeeklyHours => ({
  daysOfWeek: DAYS_OF_WEEK,
  from: minuteAt(from),
  until: until === '24:00' ? 1440 : minuteAt(until),
})

export const planOf = (zone: string, plan: Partial<SlotPlan>): SlotPlan => ({
  timeZone: zone,
  horizonDays: 30,
  slotMinutes: 30,
  weeklyHours: [],
  breaks: [],
  specialHours: [],
  notAvailable: [],
  appointmentTypes: [],
  details: {},
  ...plan,
})
