/** The times that a Timing asks for, for one visit: https://hl7.org/fhir/R4/datatypes.html#Timing. */
import type { Timing, TimingRepeat } from 'fhir/r4'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { DAYS_OF_WEEK } from './availability.ts'
import type { ZoneClock } from './zone-clock.ts'
import { type Span, spanOf, spanOfDate } from './zoned-period.ts'

/** Times are milliseconds since 1970 UTC. */
export interface PreferredTimes {
  /** Visits lie within it; each end may be infinite. */
  readonly bounds: Span
  /** Absent: a visit of any length. */
  readonly minutes?: number
  /** Absent: every time. */
  readonly isWanted?: (start: number, end: number) => boolean
}

const MINUTE = 60_000
const DAY = 86_400_000

/** Hours of the day, as clocks show them; R4 leaves them to the institution. A night goes on after midnight. */
const HOURS: Readonly<Record<string, readonly (readonly [from: number, until: number])[]>> = {
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
}

/** In minutes. */
const UNITS: Readonly<Record<string, number>> = { s: 1 / 60, min: 1, h: 60, d: 24 * 60 }

/** What asks for several visits, or for a time that depends on something else. */
const REFUSED = [
  ...(['boundsDuration', 'boundsRange', 'count', 'countMax', 'frequency', 'frequencyMax'] as const),
  ...(['period', 'periodMax', 'periodUnit', 'offset'] as const),
] as const satisfies readonly (keyof TimingRepeat)[]

type Test = (start: number, end: number) => boolean

/**
 * @param timing valid
 * @param clock of the zone in which days and times of day are meant
 * @throws FhirError 422 naming each element that cannot be heeded
 */
export function preferredTimes(timing: Timing, clock: ZoneClock): PreferredTimes {
  const { repeat = {}, event = [] } = timing
  const issues = problemsOf(timing)
  if (issues.length > 0) throw new FhirError(422, issues)
  const tests: readonly Test[] = [
    ...(event.length === 0 ? [] : [during(event, clock)]),
    ...timesOfDay(repeat, clock),
    ...lengths(repeat),
  ]
  const minutes = minutesOf(repeat.duration, repeat.durationUnit)
  return {
    bounds: spanOf(repeat.boundsPeriod ?? {}, clock),
    ...(minutes === undefined ? {} : { minutes }),
    ...(tests.length === 0 ? {} : { isWanted: (start, end) => tests.every((test) => test(start, end)) }),
  }
}

function problemsOf({ repeat = {}, code }: Timing): readonly Issue[] {
  const { when = [], durationUnit } = repeat
  const hours = Object.keys(HOURS).join(', ')
  const unheeded = when.filter((event) => HOURS[event] === undefined)
  return [
    ...REFUSED.filter((name) => repeat[name] !== undefined).map((name) =>
      notHeeded(`repeat.${name}`, 'one visit is looked for, within start and end (or repeat.boundsPeriod)'),
    ),
    ...unheeded.map((event) => notHeeded('repeat.when', `${event} depends on the patient's day; name one of ${hours}`)),
    ...(durationUnit === undefined || UNITS[durationUnit] !== undefined
      ? []
      : [notHeeded('repeat.durationUnit', `a visit is measured in ${Object.keys(UNITS).join(', ')}`)]),
    ...(code === undefined ? [] : [notHeeded('code', 'say in repeat what it means, such as repeat.when')]),
  ]
}

const notHeeded = (element: string, why: string): Issue => ({
  code: 'not-supported',
  diagnostics: `timing.${element} cannot be heeded: ${why}`,
  expression: `timing.${element}`,
  reason: 'timing-not-supported',
})

/** The visit begins on one of the days, or at the minute. */
function during(event: readonly string[], clock: ZoneClock): Test {
  const spans = event.flatMap((text) => spanOfDate(text, clock) ?? [])
  return (start) => spans.some((span) => start >= span.start && start < span.end)
}

function timesOfDay({ dayOfWeek = [], timeOfDay = [], when = [] }: TimingRepeat, clock: ZoneClock): readonly Test[] {
  const minutes = new Set(timeOfDay.map((time) => minuteOf(time)))
  const hours = when.flatMap((event) => HOURS[event] ?? [])
  const minuteAt = (start: number): number => Math.floor((clock.wallTimeAt(start) % DAY) / MINUTE)
  // The first of January 1970 was a Thursday.
  const dayAt = (start: number) => DAYS_OF_WEEK[(Math.floor(clock.wallTimeAt(start) / DAY) + 3) % 7]
  return [
    ...(dayOfWeek.length === 0 ? [] : [(start: number) => dayOfWeek.some((day) => day === dayAt(start))]),
    ...(minutes.size === 0 ? [] : [(start: number) => minutes.has(minuteAt(start))]),
    ...(hours.length === 0
      ? []
      : [(start: number) => hours.some(([from, until]) => isBetween(minuteAt(start), from * 60, until * 60))]),
  ]
}

const isBetween = (minute: number, from: number, until: number): boolean => minute >= from && minute < until

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

function lengths({ durationMax, durationUnit }: TimingRepeat): readonly Test[] {
  const most = minutesOf(durationMax, durationUnit)
  return most === undefined ? [] : [(start, end) => end - start <= most * MINUTE]
}

/** Decimals may have kept their text. */
const minutesOf = (duration: number | undefined, unit = 'min'): number | undefined =>
  duration === undefined ? undefined : Number(duration) * (UNITS[unit] ?? 1)
