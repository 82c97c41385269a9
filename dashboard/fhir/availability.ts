/**
 * The working hours of a Schedule, as a form has them: the extension schedule-availability of docs/schedule.md. Texts are
 * as they are typed, so that nothing that is typed is lost; whether they are right, the server says.
 */
import type { CodeableConcept, Extension, Schedule } from 'fhir/r4'

const AVAILABILITY = 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability'
export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Day = (typeof DAYS)[number]
export const DAY_TEXT: Readonly<Record<Day, string>> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
}

/** `08:30` to `17:00`. */
export interface Hours {
  readonly from: string
  readonly until: string
}

export interface WeeklyHours extends Hours {
  readonly days: readonly Day[]
  /** Code of an appointment type; empty: for visits of any. */
  readonly type: string
}

export interface Break extends Hours {
  /** None: every day. */
  readonly days: readonly Day[]
}

export interface SpecialHours extends Hours {
  readonly date: string
  readonly type: string
  readonly description: string
}

export interface Absence {
  readonly start: string
  readonly end: string
  readonly description: string
}

export interface VisitType {
  readonly system: string
  readonly code: string
  readonly display: string
  readonly minutes: string
  readonly before: string
  readonly after: string
  /** As it was read, of which the form shows the first coding. */
  readonly concept?: CodeableConcept | undefined
}

export interface Availability {
  /** Empty: that of the clinic. */
  readonly timeZone: string
  readonly slotMinutes: string
  readonly horizonDays: string
  readonly weekly: readonly WeeklyHours[]
  readonly breaks: readonly Break[]
  readonly special: readonly SpecialHours[]
  readonly absences: readonly Absence[]
  readonly types: readonly VisitType[]
}

const V2_TYPES = 'http://terminology.hl7.org/CodeSystem/v2-0276'

export const noHours: Availability = {
  timeZone: '',
  slotMinutes: '30',
  horizonDays: '30',
  weekly: [],
  breaks: [],
  special: [],
  absences: [],
  types: [],
}

export function availabilityOf({ extension = [] }: Schedule): Availability | undefined {
  const found = extension.find(({ url }) => url === AVAILABILITY)
  if (found === undefined) return undefined
  const each = <T>(name: string, read: (part: Extension) => T): readonly T[] => partsOf(found, name).map(read)
  return {
    timeZone: partOf(found, 'timeZone')?.valueCode ?? '',
    slotMinutes: numberText(partOf(found, 'slotMinutes')),
    horizonDays: numberText(partOf(found, 'horizonDays')),
    weekly: each('availableTime', (part) => ({ days: daysOf(part), ...hoursOf(part), type: typeOf(part) })),
    breaks: each('break', (part) => ({ days: daysOf(part), ...hoursOf(part) })),
    special: each('specialTime', (part) => ({
      date: partOf(part, 'date')?.valueDate ?? '',
      ...hoursOf(part),
      type: typeOf(part),
      description: descriptionOf(part),
    })),
    absences: each('notAvailable', (part) => {
      const { start = '', end = '' } = partOf(part, 'during')?.valuePeriod ?? {}
      return { start, end, description: descriptionOf(part) }
    }),
    types: each('appointmentType', (part) => {
      const concept = partOf(part, 'type')?.valueCodeableConcept
      const coding = concept?.coding?.[0]
      const [minutes, before, after] = ['minutes', 'bufferBefore', 'bufferAfter'].map((name) =>
        numberText(partOf(part, name)),
      )
      return {
        system: coding?.system ?? '',
        code: coding?.code ?? '',
        display: coding?.display ?? '',
        minutes: minutes ?? '',
        before: before ?? '',
        after: after ?? '',
        concept,
      }
    }),
  }
}

/** For each part of the extension, its list and place in the form, where the server's errors about it are shown. */
export type Places = readonly string[]

/** The Schedule with these hours, and where each part of its extension comes from. */
export function withAvailability(
  schedule: Schedule,
  hours: Availability,
): { readonly schedule: Schedule; readonly places: Places; readonly at: number } {
  const placed = partsWithPlaces(hours)
  const extension = { url: AVAILABILITY, extension: placed.map(({ part }) => part) }
  const before = schedule.extension ?? []
  const found = before.findIndex(({ url }) => url === AVAILABILITY)
  const at = found === -1 ? before.length : found
  return {
    schedule: { ...schedule, extension: [...before.slice(0, at), extension, ...before.slice(at + 1)] },
    places: placed.map(({ place }) => place),
    at,
  }
}

/** `weekly.2` of `Schedule.extension[0].extension[4].extension[1]`. */
export function placeOf(expression: string | undefined, places: Places): string | undefined {
  const index = /^Schedule\.extension\[\d+\]\.extension\[(\d+)\]/.exec(expression ?? '')?.[1]
  return index === undefined ? undefined : places[Number(index)]
}

interface Placed {
  readonly part: Extension
  readonly place: string
}

function partsWithPlaces(hours: Availability): readonly Placed[] {
  const each = <T>(
    list: keyof Availability,
    items: readonly T[],
    url: string,
    parts: (item: T) => readonly Extension[],
  ) => items.map((item, index) => ({ part: { url, extension: [...parts(item)] }, place: `${list}.${index}` }))
  const single = (place: keyof Availability, part: Extension | undefined) =>
    part === undefined ? [] : [{ part, place }]
  return [
    ...single('timeZone', text('timeZone', 'valueCode', hours.timeZone)),
    ...single('slotMinutes', count('slotMinutes', hours.slotMinutes)),
    ...single('horizonDays', count('horizonDays', hours.horizonDays)),
    ...each('types', hours.types, 'appointmentType', typeParts),
    ...each('weekly', hours.weekly, 'availableTime', (one) => [...dayParts(one), ...hourParts(one), ...typePart(one)]),
    ...each('breaks', hours.breaks, 'break', (one) => [...dayParts(one), ...hourParts(one)]),
    ...each('special', hours.special, 'specialTime', (one) => [
      ...given(text('date', 'valueDate', one.date)),
      ...hourParts(one),
      ...typePart(one),
      ...given(text('description', 'valueString', one.description)),
    ]),
    ...each('absences', hours.absences, 'notAvailable', ({ start, end, description }) => [
      { url: 'during', valuePeriod: { ...(start && { start }), ...(end && { end }) } },
      ...given(text('description', 'valueString', description)),
    ]),
  ]
}

const typeParts = ({ system, code, display, minutes, before, after, concept }: VisitType): readonly Extension[] => [
  {
    url: 'type',
    valueCodeableConcept: {
      ...concept,
      coding: [
        { ...concept?.coding?.[0], system: system || V2_TYPES, code, ...(display && { display }) },
        ...(concept?.coding ?? []).slice(1),
      ],
    },
  },
  ...given(count('minutes', minutes), buffer('bufferBefore', before), buffer('bufferAfter', after)),
]
const dayParts = ({ days }: { readonly days: readonly Day[] }) =>
  days.map((day) => ({ url: 'daysOfWeek', valueCode: day }))
const hourParts = ({ from, until }: Hours): readonly Extension[] =>
  given(
    text('availableStartTime', 'valueTime', from && `${from}:00`),
    text('availableEndTime', 'valueTime', until && `${until}:00`),
  )
const typePart = ({ type }: { readonly type: string }) => given(text('appointmentType', 'valueCode', type))

const given = (...parts: readonly (Extension | undefined)[]): readonly Extension[] =>
  parts.filter((part) => part !== undefined)

const text = (url: string, element: 'valueCode' | 'valueDate' | 'valueString' | 'valueTime', value: string) =>
  value === '' ? undefined : ({ url, [element]: value } as Extension)
const count = (url: string, value: string): Extension | undefined =>
  value === '' ? undefined : { url, valuePositiveInt: Number(value) }
const buffer = (url: string, value: string): Extension | undefined =>
  value === '' ? undefined : { url, valueUnsignedInt: Number(value) }

const partsOf = ({ extension = [] }: Extension, name: string) => extension.filter(({ url }) => url === name)
const partOf = (extension: Extension, name: string) => partsOf(extension, name)[0]
const numberText = (part: Extension | undefined): string =>
  String(part?.valuePositiveInt ?? part?.valueUnsignedInt ?? part?.valueInteger ?? '')
const daysOf = (part: Extension): readonly Day[] =>
  partsOf(part, 'daysOfWeek').flatMap(({ valueCode }) => DAYS.find((day) => day === valueCode) ?? [])
const hoursOf = (part: Extension): Hours => ({
  from: partOf(part, 'availableStartTime')?.valueTime?.slice(0, 5) ?? '',
  until: partOf(part, 'availableEndTime')?.valueTime?.slice(0, 5) ?? '',
})
const typeOf = (part: Extension): string => partOf(part, 'appointmentType')?.valueCode ?? ''
const descriptionOf = (part: Extension): string => partOf(part, 'description')?.valueString ?? ''
