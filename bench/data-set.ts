/** The data set: generated from numbers, so that it is the same in every run. */
import type { Appointment, Bundle, Patient, Practitioner, Schedule, Slot } from 'fhir/r4'

export interface Sizes {
  readonly patients: number
  readonly practitioners: number
  readonly slots: number
  readonly appointments: number
}

const SLOTS_PER_SCHEDULE = 100
const SLOTS_PER_DAY = 20
const SLOT_MINUTES = 20
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** A Monday, 09:00 UTC, at which the single working week of every schedule starts. */
export const WEEK_START = Date.UTC(2032, 0, 5, 9)
const FIRST_BIRTHDAY = Date.UTC(1935, 0, 1)
const BIRTHDAYS = 29_000

const BEGINNINGS =
  'Abe Bar Cal Dun Eck Fal Gor Hil Ing Jar Kel Lin Mor Nol Orm Pel Qui Ros Sel Tor Ulm Var Wes Yor Zan'.split(' ')
const ENDINGS =
  'berg brook by dale den field ford gate ham ing land ley low man mere more ness ridge row sby son stead ton well wick worth'.split(
    ' ',
  )
const GIVEN =
  'Ada Ben Cleo Dev Esme Finn Gia Hugo Ines Jude Kaya Leo Mina Nico Orla Paul Rosa Sam Tess Vera Will Yara Zeno'.split(
    ' ',
  )
const STREETS = ['Maple Street', 'Oak Avenue', 'Mill Lane', 'Church Road', 'Station Road']

export const sizesAt = (scale: number): Sizes => ({
  patients: Math.round(2_000 * scale),
  practitioners: Math.round(200 * scale),
  slots: Math.round(200 * scale) * SLOTS_PER_SCHEDULE,
  appointments: Math.round(5_000 * scale),
})

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T
const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const patientId = (n: number): string => `bench-patient-${n}`
export const practitionerId = (n: number): string => `bench-practitioner-${n}`
export const scheduleId = (n: number): string => `bench-schedule-${n}`
export const slotId = (n: number): string => `bench-slot-${n}`

/** The first letters of a family name, shared by one patient in 25. */
export const familyBeginning = (n: number): string => pick(BEGINNINGS, n)
export const familyOf = (n: number): string => familyBeginning(n) + pick(ENDINGS, Math.floor(n / BEGINNINGS.length))
export const givenOf = (n: number): string => pick(GIVEN, n * 7)
export const birthDateOf = (n: number): string => iso(FIRST_BIRTHDAY + ((n * 37) % BIRTHDAYS) * DAY).slice(0, 10)
export const phoneOf = (n: number): string => `+1646${String(2_000_000 + (n % 8_000_000))}`

export function patient(n: number): Patient {
  return {
    resourceType: 'Patient',
    identifier: [{ system: 'https://clinic.example/patients', value: `P-${n}` }],
    active: true,
    name: [{ use: 'official', family: familyOf(n), given: [givenOf(n), givenOf(n + 5)] }],
    telecom: [
      { system: 'phone', value: phoneOf(n), use: 'mobile' },
      { system: 'email', value: `patient-${n}@mail.example` },
    ],
    gender: n % 2 === 0 ? 'female' : 'male',
    birthDate: birthDateOf(n),
    address: [
      {
        line: [`${1 + (n % 200)} ${pick(STREETS, n)}`],
        city: 'Springfield',
        postalCode: String(10_000 + (n % 90_000)),
      },
    ],
  }
}

const practitioner = (n: number): Practitioner => ({
  resourceType: 'Practitioner',
  id: practitionerId(n),
  active: true,
  name: [{ family: familyOf(n * 3), given: [givenOf(n)] }],
})

const schedule = (n: number): Schedule => ({
  resourceType: 'Schedule',
  id: scheduleId(n),
  active: true,
  actor: [{ reference: `Practitioner/${practitionerId(n)}` }],
  planningHorizon: { start: iso(WEEK_START), end: iso(WEEK_START + 5 * DAY) },
})

function slotTimes(n: number): { readonly start: string; readonly end: string } {
  const inWeek = n % SLOTS_PER_SCHEDULE
  const minutes = (inWeek % SLOTS_PER_DAY) * SLOT_MINUTES
  const start = WEEK_START + Math.floor(inWeek / SLOTS_PER_DAY) * DAY + minutes * MINUTE
  return { start: iso(start), end: iso(start + SLOT_MINUTES * MINUTE) }
}

export const slot = (n: number): Slot => ({
  resourceType: 'Slot',
  id: slotId(n),
  schedule: { reference: `Schedule/${scheduleId(Math.floor(n / SLOTS_PER_SCHEDULE))}` },
  status: 'free',
  ...slotTimes(n),
})

/** Every fourth slot is booked, so each practitioner sees five patients a day. */
export function appointment(n: number, { patients }: Sizes): Appointment {
  const taken = n * 4
  return {
    resourceType: 'Appointment',
    id: `bench-appointment-${n}`,
    status: 'booked',
    ...slotTimes(taken),
    slot: [{ reference: `Slot/${slotId(taken)}` }],
    participant: [
      { actor: { reference: `Patient/${patientId((n * 7) % patients)}` }, status: 'accepted' },
      {
        actor: { reference: `Practitioner/${practitionerId(Math.floor(taken / SLOTS_PER_SCHEDULE))}` },
        status: 'accepted',
      },
    ],
  }
}

/** Search values for the week, or its day `day`: `ge…` and `lt…`. */
export const weekRange = (): string => `start=ge${iso(WEEK_START)}&start=lt${iso(WEEK_START + 7 * DAY)}`
export const dayRange = (day: number): string => {
  const midnight = WEEK_START - 9 * 60 * MINUTE + (day % 5) * DAY
  return `date=ge${iso(midnight)}&date=lt${iso(midnight + DAY)}`
}

type Loaded = Patient | Practitioner | Schedule | Slot | Appointment

/** The data set in stages. Resources refer only to earlier stages, so those of a stage can be loaded in any order. */
export function stages(sizes: Sizes): readonly { readonly count: number; readonly make: (n: number) => Loaded }[] {
  return [
    { count: sizes.practitioners, make: practitioner },
    { count: sizes.practitioners, make: schedule },
    { count: sizes.patients, make: (n) => ({ ...patient(n), id: patientId(n) }) },
    { count: sizes.slots, make: slot },
    { count: sizes.appointments, make: (n) => appointment(n, sizes) },
  ]
}

/** PUT for resources with an id, POST for the others. */
export function transaction(resources: readonly Loaded[]): Bundle {
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: resources.map((resource) => ({
      resource,
      request:
        resource.id === undefined
          ? { method: 'POST', url: resource.resourceType }
          : { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    })),
  }
}
