/** 100,000 free Slots: calendars of 30 days for 170 practitioners, from tomorrow on, generated from numbers; or of more days. */
import type { Practitioner, Schedule, Slot } from 'fhir/r4'
import { familyOf, givenOf } from '../data-set.ts'

export const CALENDARS = 170
export const DAYS = 30
const PER_DAY = 20
const SLOTS_PER_CALENDAR = DAYS * PER_DAY
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const SLOT_MINUTES = 20
const OPENING = 9 * 60 * MINUTE

/** Midnight, UTC. */
const FIRST_DAY = (Math.floor(Date.now() / DAY) + 1) * DAY

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const practitionerOf = (n: number): string => `calendar-practitioner-${n % CALENDARS}`
export const scheduleOf = (n: number): string => `calendar-${n % CALENDARS}`
/** No other practitioner of the calendars has it. */
export const familyOfPractitioner = (n: number): string => familyOf((n % CALENDARS) * 3)

const practitioner = (n: number): Practitioner => ({
  resourceType: 'Practitioner',
  id: practitionerOf(n),
  active: true,
  name: [{ family: familyOfPractitioner(n), given: [givenOf(n)], prefix: ['Dr.'] }],
})

const schedule = (n: number): Schedule => ({
  resourceType: 'Schedule',
  id: scheduleOf(n),
  active: true,
  actor: [{ reference: `Practitioner/${practitionerOf(n)}` }],
})

function slot(n: number, perCalendar: number): Slot {
  const [calendar, number] = [Math.floor(n / perCalendar), n % perCalendar]
  const day = FIRST_DAY + Math.floor(number / PER_DAY) * DAY
  const start = day + OPENING + (number % PER_DAY) * SLOT_MINUTES * MINUTE
  return {
    resourceType: 'Slot',
    id: `calendar-slot-${n}`,
    schedule: { reference: `Schedule/${scheduleOf(calendar)}` },
    status: 'free',
    start: iso(start),
    end: iso(start + SLOT_MINUTES * MINUTE),
  }
}

/** @param scale times as many days */
export const calendars = (scale: number) => [
  { count: CALENDARS, make: practitioner },
  { count: CALENDARS, make: schedule },
  {
    count: CALENDARS * SLOTS_PER_CALENDAR * scale,
    make: (n: number) => slot(n, SLOTS_PER_CALENDAR * scale),
  },
]

/** Search values for `days` from day `day` on: `2032-01-05T00:00:00.000Z`. */
export const daysFrom = (day: number, days: number): { readonly start: string; readonly end: string } => ({
  start: iso(FIRST_DAY + day * DAY),
  end: iso(FIRST_DAY + (day + days) * DAY),
})
