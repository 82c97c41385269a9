/**
 * The times that a Timing requests for one visit: https://hl7.org/fhir/R4/datatypes.html#Timing. R4 leaves the hours of its
 * codes to the institution: https://hl7.org/fhir/R4/valueset-event-timing.html,
 * https://hl7.org/fhir/R4/valueset-timing-abbreviation.html
 */
import type { Duration, Timing, TimingRepeat } from 'fhir/r4'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { valuesIn } from '../fhir/resource.ts'
import { DAYS_OF_WEEK } from './availability.ts'
import { type Span, spanOf, spanOfDate, type ZoneClock } from './zone-clock.ts'

/** Ranges in hours of the day. */
export type Hours = readonly (readonly [from: number, until: number])[]

/** Hours by `Timing.repeat.when`. A night continues after midnight. */
const HOURS: Readonly<Record<string, Hours>> = {
  MORN: [[5, 12]],
  'MORN.early': [[5, 9]],
  'MORN.late': [[9, 12]],
  NOON: [[11, 13]],
  AFT: [[12, 18]],
  'AFT.early': [[12, 15]],
  'AFT.late': [[15, 18]],
  EVE: [[17, 22]],
  'EVE.early': [[17, 19]],
  'EVE.late': [[19, 22]],
  NIGHT: [
    [0, 5],
    [22, 24],
  ],
  PHS: [[6, 8]],
  WAKE: [[6, 8]],
  HS: [[20, 22]],
  ...mealHours('C', [7, 9], [12, 14], [18, 20]),
  ...mealHours('AC', [6, 7], [11, 12], [17, 18]),
  ...mealHours('PC', [9, 10], [14, 15], [20, 21]),
}

type Range = Hours[number]

/** The hours of a code for any meal, and of those for breakfast (M), lunch (D) and dinner (V). */
function mealHours(code: string, breakfast: Range, lunch: Range, dinner: Range): Readonly<Record<string, Hours>> {
  return {
    [code]: [breakfast, lunch, dinner],
    [`${code}M`]: [breakfast],
    [`${code}D`]: [lunch],
    [`${code}V`]: [dinner],
  }
}

/** True for codes whose `Timing.repeat.offset` is before the event; for all others it is after. */
const isBefore = (when: string): boolean => when === 'HS' || when.startsWith('AC')

/** Hours by `Timing.code`, for codes of a part of the day. */
const HOURS_OF_CODE: Readonly<Record<string, Hours | undefined>> = {
  AM: HOURS['MORN'],
  PM: HOURS['AFT'],
  BED: HOURS['HS'],
}

/** Codes of a frequency. */
const OFTEN: ReadonlySet<string> = new Set([
  ...['BID', 'TID', 'QID', 'QD', 'QOD', 'WK', 'MO'],
  ...['Q1H', 'Q2H', 'Q3H', 'Q4H', 'Q6H', 'Q8H'],
])

/** Times are milliseconds since 1970 UTC. */
export interface PreferredTimes {
  /** Limits of the visit; either end may be infinite. */
  readonly bounds: Span
  /** Absent: any length. */
  readonly minutes?: number
  /** Absent: every time. */
  readonly isWanted?: (start: number, end: number) => boolean
  /** Information about elements that do not restrict the time of one visit. */
  readonly notes: readonly Issue[]
}

const MINUTE = 60_000
const DAY = 86_400_000

/** UCUM units of time, in minutes. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ s: 1 / 60, min: 1, h: 60, d: 24 * 60, wk: 7 * 24 * 60 },
  ...{ mo: 30.4375 * 24 * 60, a: 365.25 * 24 * 60 },
}
/** Units for the length of a visit. */
const SHORT_UNITS: readonly string[] = ['s', 'min', 'h', 'd']

/** Number and frequency of visits: in any case, each of them is at one of the times. */
const OFTEN_ELEMENTS = [
  ...(['count', 'countMax', 'frequency', 'frequencyMax'] as const),
  ...(['period', 'periodMax', 'periodUnit'] as const),
] as const satisfies readonly (keyof TimingRepeat)[]

type Test = (start: number, end: number) => boolean

/**
 * @param timing valid
 * @param clock clock of the zone for days and times of day
 * @param from start of bounds without one, in milliseconds since 1970 UTC
 * @throws FhirError 422 naming each unsupported element
 */
export function preferredTimes(timing: Timing, clock: ZoneClock, from: number): PreferredTimes {
  const { repeat = {}, event = [] } = timing
  const issues = problemsOf(timing)
  if (issues.length > 0) throw new FhirError(422, issues)
  const tests: readonly Test[] = [
    ...(event.length === 0 ? [] : [during(valuesIn(event), clock)]),
    ...timesOfDay(timing, clock),
    ...lengths(repeat),
  ]
  const minutes = minutesOf(repeat.duration, repeat.durationUnit)
  return {
    bounds: boundsOf(repeat, clock, from),
    ...(minutes === undefined ? {} : { minutes }),
    ...(tests.length === 0 ? {} : { isWanted: (start, end) => tests.every((test) => test(start, end)) }),
    notes: notesOf(timing),
  }
}

function problemsOf(timing: Timing): readonly Issue[] {
  const { repeat = {}, code } = timing
  const { durationUnit, boundsDuration, boundsRange } = repeat
  const hours = Object.keys(HOURS).join(', ')
  const isLengthKnown = (one: Duration | undefined): boolean => one === undefined || millisecondsOf(one) !== undefined
  const isClear = code === undefined || codeOf(timing) !== undefined || saysMoreThanBounds(repeat)
  return [
    ...valuesIn(repeat.when)
      .filter((event) => HOURS[event] === undefined)
      .map((event) => notHeeded('repeat.when', `${event} is no time of the day here; name one of ${hours}`)),
    ...(durationUnit === undefined || SHORT_UNITS.includes(durationUnit)
      ? []
      : [notHeeded('repeat.durationUnit', `a visit is measured in ${SHORT_UNITS.join(', ')}`)]),
    ...(isLengthKnown(boundsDuration) ? [] : [unknownLength('repeat.boundsDuration')]),
    ...(isLengthKnown(boundsRange?.high) ? [] : [unknownLength('repeat.boundsRange')]),
    ...(isClear
      ? []
      : [
          notHeeded(
            'code',
            `it is none of ${[...Object.keys(HOURS_OF_CODE), ...OFTEN].join(', ')}; say in repeat what it means, such as repeat.when`,
          ),
        ]),
  ]
}

const unknownLength = (element: string): Issue =>
  notHeeded(element, `its code, or its unit, must be one of ${Object.keys(UNITS).join(', ')}`)

const notHeeded = (element: string, why: string): Issue => ({
  code: 'not-supported',
  diagnostics: `timing.${element} cannot be heeded: ${why}`,
  expression: `timing.${element}`,
  reason: 'timing-not-supported',
})

function notesOf(timing: Timing): readonly Issue[] {
  const { repeat = {} } = timing
  const code = codeOf(timing)
  const named = [
    ...OFTEN_ELEMENTS.filter((name) => repeat[name] !== undefined).map((name) => `timing.repeat.${name}`),
    ...(code !== undefined && OFTEN.has(code) ? ['timing.code'] : []),
  ]
  if (named.length === 0) return []
  return [
    {
      severity: 'information',
      code: 'informational',
      diagnostics: `${named.join(', ')}: each Appointment is one visit at one of the times, however many there are to be; book one for each`,
      expression: named,
    },
  ]
}

/** The first known code, from the codings or the text; undefined if there is none. */
function codeOf({ code }: Timing): string | undefined {
  const all = [...(code?.coding ?? []).map((coding) => coding.code), code?.text?.trim().toUpperCase()]
  return all.find((one) => one !== undefined && (HOURS_OF_CODE[one] !== undefined || OFTEN.has(one)))
}

/** "Either the code or the data may be used", but the bounds apply to both. */
const saysMoreThanBounds = (repeat: TimingRepeat): boolean =>
  Object.keys(repeat).some((name) => !name.replace(/^_/, '').startsWith('bounds'))

/** For a range, the end is the latest possible one. */
function boundsOf({ boundsPeriod, boundsDuration, boundsRange }: TimingRepeat, clock: ZoneClock, from: number): Span {
  const longest = boundsDuration ?? boundsRange?.high
  const end = from + ((longest && millisecondsOf(longest)) ?? Number.POSITIVE_INFINITY)
  const period = spanOf(boundsPeriod ?? {}, clock)
  return { start: period.start, end: Math.min(period.end, end) }
}

/** Returns undefined if the unit is not a unit of time. */
function millisecondsOf({ value, code, unit }: Duration): number | undefined {
  const minutes = UNITS[code ?? unit ?? '']
  return value === undefined || minutes === undefined ? undefined : Number(value) * minutes * MINUTE
}

/** True if the visit begins on one of the days, or at the minute. */
function during(event: readonly string[], clock: ZoneClock): Test {
  const spans = event.flatMap((text) => spanOfDate(text, clock) ?? [])
  return (start) => spans.some((span) => start >= span.start && start < span.end)
}

function timesOfDay(timing: Timing, clock: ZoneClock): readonly Test[] {
  const { dayOfWeek = [], timeOfDay = [] } = timing.repeat ?? {}
  const minutes = new Set(valuesIn(timeOfDay).map(minuteOf))
  const hours = minutesAskedFor(timing)
  const minuteAt = (start: number): number => Math.floor((clock.wallTimeAt(start) % DAY) / MINUTE)
  // 1970-01-01 was a Thursday.
  const dayAt = (start: number) => DAYS_OF_WEEK[(Math.floor(clock.wallTimeAt(start) / DAY) + 3) % 7]
  return [
    ...(dayOfWeek.length === 0 ? [] : [(start: number) => dayOfWeek.some((day) => day === dayAt(start))]),
    ...(minutes.size === 0 ? [] : [(start: number) => minutes.has(minuteAt(start))]),
    ...(hours.length === 0
      ? []
      : [(start: number) => hours.some(([from, until]) => isBetween(minuteAt(start), from, until))]),
  ]
}

const MINUTES_OF_DAY = 24 * 60

/** Minutes of the day; a range that does not end after its start continues after midnight. */
function minutesAskedFor(timing: Timing): Hours {
  const { when, offset = 0 } = timing.repeat ?? {}
  const ofCode = saysMoreThanBounds(timing.repeat ?? {}) ? undefined : HOURS_OF_CODE[codeOf(timing) ?? '']
  return [
    ...valuesIn(when).flatMap((event) => movedBy(HOURS[event] ?? [], isBefore(event) ? -offset : offset)),
    ...movedBy(ofCode ?? [], 0),
  ]
}

const movedBy = (hours: Hours, minutes: number): Hours =>
  hours.map(([from, until]) => [ofDay(from * 60 + minutes), ofDay(until * 60 + minutes)])

const ofDay = (minute: number): number => ((minute % MINUTES_OF_DAY) + MINUTES_OF_DAY) % MINUTES_OF_DAY

const isBetween = (minute: number, from: number, until: number): boolean =>
  from < until ? minute >= from && minute < until : minute >= from || minute < until

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

function lengths({ durationMax, durationUnit }: TimingRepeat): readonly Test[] {
  const most = minutesOf(durationMax, durationUnit)
  return most === undefined ? [] : [(start, end) => end - start <= most * MINUTE]
}

/** Converts decimals, which the lossless parser keeps as text. */
const minutesOf = (duration: number | undefined, unit = 'min'): number | undefined =>
  duration === undefined ? undefined : Number(duration) * (UNITS[unit] ?? 1)
