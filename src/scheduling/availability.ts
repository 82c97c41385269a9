/**
 * Working hours of a Schedule, from which its Slots are generated, and how they are read from its extension, whose definition
 * is resources/structure-definitions/schedule-availability.json. docs/schedule.md
 */
import type { CodeableConcept, Extension, Period, Schedule, Slot } from 'fhir/r4'
import { parseDateRange } from '../fhir/dates.ts'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { isTimeZone } from './zone-clock.ts'

export const DAYS_OF_WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type DayOfWeek = (typeof DAYS_OF_WEEK)[number]

/** Minutes since midnight, in wall-clock time. */
export interface DayHours {
  readonly from: number
  readonly until: number
}

export interface OpeningHours extends DayHours {
  /** Code of the only appointment type offered in these hours; absent: slots for visits of any type. */
  readonly appointmentType?: string
}

export interface WeeklyHours extends OpeningHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

export interface Break extends DayHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

/** Hours of one day, replacing those of its weekday and the breaks. */
export interface SpecialHours extends OpeningHours {
  /** yyyy-mm-dd. */
  readonly date: string
}

export interface AppointmentType {
  /** One of the codes of `type`. */
  readonly code: string
  readonly type: CodeableConcept
  readonly minutes: number
  /** Minutes before and after each visit that are kept free. */
  readonly bufferBefore: number
  readonly bufferAfter: number
}

export interface Availability {
  /** IANA name; absent: the clinic's time zone. */
  readonly timeZone?: string
  /** Number of days with slots, from today. */
  readonly horizonDays: number
  /** Length of slots for visits of any type, in minutes. */
  readonly slotMinutes: number
  readonly weeklyHours: readonly WeeklyHours[]
  readonly breaks: readonly Break[]
  readonly specialHours: readonly SpecialHours[]
  /** Holidays and absences. */
  readonly notAvailable: readonly Period[]
  readonly appointmentTypes: readonly AppointmentType[]
}

/** All data that determine the Slots of a Schedule. It is stored as JSON, to detect changes later. */
export interface SlotPlan extends Availability {
  readonly timeZone: string
  /** Schedule.planningHorizon: slots exist only within it. */
  readonly planningHorizon?: Period
  /** Elements that each Slot copies from the Schedule. */
  readonly details: Pick<Slot, 'serviceCategory' | 'serviceType' | 'specialty'>
}

export interface PartNames {
  readonly single: readonly string[]
  readonly repeated: readonly string[]
}

/** Most unknown parts that are reported. */
const MAX_UNKNOWN = 20

class ExtensionPart {
  readonly value: Extension
  /** FHIRPath of the part. */
  readonly #path: string
  readonly #issues: Issue[]

  constructor(value: Extension, path: string, issues: Issue[]) {
    this.value = value
    this.#path = path
    this.#issues = issues
  }

  parts(name: string): readonly ExtensionPart[] {
    return (this.value.extension ?? []).flatMap((one, index) =>
      one.url === name ? new ExtensionPart(one, `${this.#path}.extension[${index}]`, this.#issues) : [],
    )
  }

  /** The first part with this name, for parts that may not repeat. */
  part(name: string): ExtensionPart | undefined {
    return this.parts(name)[0]
  }

  /** Reports unknown parts, and repetitions of parts that may not repeat. */
  mustHaveOnly({ single, repeated }: PartNames): void {
    const given = (this.value.extension ?? []).map(({ url = '' }) => url)
    const known = [...single, ...repeated]
    for (const url of [...new Set(given)].filter((one) => !known.includes(one)).slice(0, MAX_UNKNOWN))
      this.report(`has the part '${url}', which is not known; known are ${known.join(', ')}`)
    for (const name of single)
      if (given.indexOf(name) !== given.lastIndexOf(name)) this.report(`has the part ${name} more than once`)
  }

  /** Returns undefined if the part is absent or invalid. */
  integer(name: string, min: number, max: number): number | undefined {
    const found = this.part(name)
    if (found === undefined) return undefined
    const value = Number(found.value.valuePositiveInt ?? found.value.valueUnsignedInt ?? found.value.valueInteger)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    const type = min === 0 ? 'valueUnsignedInt' : 'valuePositiveInt'
    found.report(`must have ${type} from ${min} to ${max}`)
    return undefined
  }

  /** Reports the part if it is missing. */
  required<T>(value: T | undefined, name: string): T | undefined {
    if (this.part(name) === undefined) this.report(`must have the part ${name}`)
    return value
  }

  report(problem: string): void {
    const diagnostics = `The ${this.#name} ${problem}`
    this.#issues.push({ code: 'business-rule', diagnostics, expression: this.#path })
  }

  get #name(): string {
    const { url = '' } = this.value
    return url.slice(url.lastIndexOf('/') + 1)
  }
}

export const AVAILABILITY_URL = 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability'

const MAX_HORIZON_DAYS = 366
const DEFAULT_HORIZON_DAYS = 30
const MIN_MINUTES = 5
const MAX_BUFFER = 240
/** Most hours, breaks, absences and appointment types, each; every day of the horizon is compared with all of them. */
const MAX_ENTRIES = 100
const MIDNIGHT = 24 * 60

const HOURS = ['availableStartTime', 'availableEndTime']
const PARTS = {
  availability: {
    single: ['timeZone', 'horizonDays', 'slotMinutes'],
    repeated: ['availableTime', 'break', 'specialTime', 'notAvailable', 'appointmentType'],
  },
  availableTime: { single: [...HOURS, 'appointmentType'], repeated: ['daysOfWeek'] },
  break: { single: HOURS, repeated: ['daysOfWeek'] },
  specialTime: { single: ['date', ...HOURS, 'appointmentType', 'description'], repeated: [] },
  notAvailable: { single: ['during', 'description'], repeated: [] },
  appointmentType: { single: ['type', 'minutes', 'bufferBefore', 'bufferAfter'], repeated: [] },
} as const satisfies Readonly<Record<string, PartNames>>

/**
 * The working hours of a Schedule; undefined if it has none, so that no Slots are generated.
 * @throws FhirError 422 with an issue for each invalid element
 */
export function readAvailability({ extension = [] }: Schedule): Availability | undefined {
  const at = extension.findIndex(({ url }) => url === AVAILABILITY_URL)
  const found = extension[at]
  if (found === undefined) return undefined
  const issues: Issue[] = []
  const availability = new AvailabilityReader(new ExtensionPart(found, `Schedule.extension[${at}]`, issues)).read()
  if (extension.findLastIndex(({ url }) => url === AVAILABILITY_URL) !== at)
    issues.push({
      code: 'business-rule',
      diagnostics: `A Schedule has the extension ${AVAILABILITY_URL} once; put all hours into one`,
      expression: 'Schedule.extension',
    })
  if (issues.length > 0) throw new FhirError(422, issues)
  return availability
}

class AvailabilityReader {
  readonly #whole: ExtensionPart
  /** Codes of the appointment types. */
  readonly #codes = new Set<string>()

  constructor(whole: ExtensionPart) {
    this.#whole = whole
  }

  read(): Availability {
    const whole = this.#whole
    whole.mustHaveOnly(PARTS.availability)
    const timeZone = this.#timeZone()
    const appointmentTypes = this.#each('appointmentType', (part) => this.#appointmentType(part))
    const availability: Availability = {
      ...(timeZone === undefined ? {} : { timeZone }),
      horizonDays: whole.integer('horizonDays', 1, MAX_HORIZON_DAYS) ?? DEFAULT_HORIZON_DAYS,
      slotMinutes: whole.required(whole.integer('slotMinutes', MIN_MINUTES, MIDNIGHT), 'slotMinutes') ?? MIDNIGHT,
      weeklyHours: this.#each('availableTime', (part) => ({ daysOfWeek: days(part), ...this.#hours(part) })),
      breaks: this.#each('break', (part) => this.#break(part)),
      specialHours: this.#each('specialTime', (part) => ({ date: this.#date(part), ...this.#hours(part) })),
      notAvailable: this.#each('notAvailable', (part) => this.#during(part)),
      appointmentTypes,
    }
    this.#checkOverlaps(availability)
    return availability
  }

  #each<T>(name: Exclude<keyof typeof PARTS, 'availability'>, read: (part: ExtensionPart) => T): readonly T[] {
    const parts = this.#whole.parts(name)
    if (parts.length > MAX_ENTRIES) {
      this.#whole.report(`has ${parts.length} ${name}; it may have ${MAX_ENTRIES}`)
      return []
    }
    return parts.map((part) => {
      part.mustHaveOnly(PARTS[name])
      return read(part)
    })
  }

  #timeZone(): string | undefined {
    const part = this.#whole.part('timeZone')
    const zone = part?.value.valueCode
    if (part === undefined || (zone !== undefined && isTimeZone(zone))) return zone
    part.report('must have valueCode with an IANA time zone, such as America/New_York')
    return undefined
  }

  /** A break without days applies to every day. */
  #break(part: ExtensionPart): Break {
    return { daysOfWeek: part.parts('daysOfWeek').length === 0 ? DAYS_OF_WEEK : days(part), ...hoursOf(part) }
  }

  #hours(part: ExtensionPart): OpeningHours {
    const hours = hoursOf(part)
    const named = part.part('appointmentType')
    if (named === undefined) return hours
    const appointmentType = named.value.valueCode
    if (appointmentType !== undefined && this.#codes.has(appointmentType)) return { ...hours, appointmentType }
    const codes = [...this.#codes].join(', ') || 'there are none'
    named.report(`must have valueCode with the code of an appointmentType of this extension (${codes})`)
    return hours
  }

  #appointmentType(part: ExtensionPart): AppointmentType {
    const [code] = codesOf(part)
    if (code === undefined) part.report('must have the part type, with valueCodeableConcept.coding.code')
    else if (this.#codes.has(code)) part.report(`has the code ${code}, as another one has`)
    else this.#codes.add(code)
    return {
      code: code ?? '',
      type: part.part('type')?.value.valueCodeableConcept ?? {},
      minutes: part.required(part.integer('minutes', MIN_MINUTES, MIDNIGHT), 'minutes') ?? MIDNIGHT,
      bufferBefore: part.integer('bufferBefore', 0, MAX_BUFFER) ?? 0,
      bufferAfter: part.integer('bufferAfter', 0, MAX_BUFFER) ?? 0,
    }
  }

  #date(part: ExtensionPart): string {
    const date = part.part('date')?.value.valueDate ?? ''
    if (!/^\d{4}-\d\d-\d\d$/.test(date)) part.report('must have the part date, with valueDate such as 2026-12-24')
    return date
  }

  #during(part: ExtensionPart): Period {
    const { start, end } = part.part('during')?.value.valuePeriod ?? {}
    if (start === undefined || end === undefined) {
      part.report('must have the part during, with valuePeriod.start and valuePeriod.end')
      return {}
    }
    const [from, until] = [parseDateRange(start)?.low, parseDateRange(end)?.high]
    if (from === undefined || until === undefined || until < from) part.report(`ends at ${end}, before ${start}`)
    return { start, end }
  }

  /** Overlapping hours would offer the same time twice. */
  #checkOverlaps({ weeklyHours, specialHours }: Availability): void {
    for (const day of DAYS_OF_WEEK) {
      this.#checkApart(
        weeklyHours.filter(({ daysOfWeek }) => daysOfWeek.includes(day)),
        `availableTime on ${day}`,
      )
    }
    const byDate = Map.groupBy(specialHours, ({ date }) => date)
    for (const [date, hours] of byDate) this.#checkApart(hours, `specialTime on ${date}`)
  }

  #checkApart(hours: readonly DayHours[], what: string): void {
    const inOrder = hours.toSorted((one, other) => one.from - other.from)
    for (const [index, { from, until }] of inOrder.entries()) {
      const next = inOrder[index + 1]
      if (next === undefined || next.from >= until) continue
      this.#whole.report(`has two ${what} that overlap: ${clock(from)} to ${clock(until)} and from ${clock(next.from)}`)
      return
    }
  }
}

const clock = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((value) => String(value).padStart(2, '0')).join(':')

const codesOf = (part: ExtensionPart): readonly string[] =>
  (part.part('type')?.value.valueCodeableConcept?.coding ?? []).flatMap(({ code }) => code ?? [])

function days(part: ExtensionPart): readonly DayOfWeek[] {
  const parts = part.parts('daysOfWeek')
  if (parts.length === 0) part.report('must have the part daysOfWeek')
  return parts.flatMap((one) => {
    const day = DAYS_OF_WEEK.find((known) => known === one.value.valueCode)
    if (day === undefined) one.report(`must have valueCode with one of ${DAYS_OF_WEEK.join(', ')}`)
    return day ?? []
  })
}

/**
 * Absent times mean the limits of the day. FHIR has no 24:00, so an end of 00:00:00 is midnight at the end of the day.
 */
function hoursOf(part: ExtensionPart): DayHours {
  const from = minuteOf(part, 'availableStartTime') ?? 0
  const until = minuteOf(part, 'availableEndTime') || MIDNIGHT
  if (until <= from) part.report(`ends at ${clock(until)}, not after ${clock(from)}; hours end on the day they begin`)
  return { from, until }
}

function minuteOf(part: ExtensionPart, name: string): number | undefined {
  const found = part.part(name)
  if (found === undefined) return undefined
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d):00(?:\.0+)?$/.exec(found.value.valueTime ?? '') ?? []
  if (minute === undefined) {
    found.report('must have valueTime with whole minutes, such as 08:30:00')
    return undefined
  }
  return Number(hour) * 60 + Number(minute)
}
