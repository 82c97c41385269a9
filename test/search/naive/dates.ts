/** Dates, periods and timings as ranges of milliseconds: https://hl7.org/fhir/R4/search.html#date. */
import { isObject, objectsIn, textOf } from './elements.ts'
import { compareEnds, type End, LEAST, MOST, type Prefix, type Range, whole } from './ranges.ts'

const PRECISIONS: readonly (readonly [RegExp, (text: string) => string, (start: Date) => number])[] = [
  [/^\d{4}$/, (year) => `${year}-01-01T00:00:00Z`, (start) => Date.UTC(start.getUTCFullYear() + 1, 0, 1)],
  [
    /^\d{4}-\d\d$/,
    (month) => `${month}-01T00:00:00Z`,
    (start) => Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1),
  ],
  [/^\d{4}-\d\d-\d\d$/, (day) => `${day}T00:00:00Z`, (start) => start.getTime() + 86_400_000],
  [/T\d\d:\d\d(Z|[-+]\d\d:\d\d)?$/, zoned, (start) => start.getTime() + 60_000],
  [/T\d\d:\d\d:\d\d(Z|[-+]\d\d:\d\d)?$/, zoned, (start) => start.getTime() + 1000],
  [/\.\d(Z|[-+]\d\d:\d\d)?$/, zoned, (start) => start.getTime() + 100],
  [/\.\d{3}(Z|[-+]\d\d:\d\d)?$/, zoned, (start) => start.getTime() + 1],
]

/** The time with its zone, UTC where it states none. */
function zoned(time: string): string {
  return /(Z|[-+]\d\d:\d\d)$/.test(time) ? time : `${time}Z`
}

const at = (milliseconds: number): End => ({ at: whole(milliseconds), beside: 0 })

/** From the first to the last millisecond. */
export function dateRange(text: string): Range | undefined {
  const [, complete, end] = PRECISIONS.find(([pattern]) => pattern.test(text)) ?? []
  if (complete === undefined || end === undefined) return undefined
  const start = new Date(complete(text))
  return Number.isNaN(start.getTime()) ? undefined : { low: at(start.getTime()), high: at(end(start) - 1) }
}

/** With ap wider by a tenth of the time between it and now. */
export function searchedDate(prefix: Prefix, text: string, now: number): Range | undefined {
  const range = dateRange(text)
  if (range === undefined || prefix !== 'ap') return range
  const [first, last] = [Number(range.low.at.above), Number(range.high.at.above)]
  // The one in the middle is the moment of the date that is nearest to now.
  const [, nearest = now] = [first, now, last].sort((one, other) => one - other)
  const tenth = Math.floor(Math.abs(now - nearest) / 10)
  return { low: at(first - tenth), high: at(last + tenth) }
}

/** The range of a date, dateTime, instant, Period or Timing. */
export function rangeOfDate(value: unknown): Range | undefined {
  if (typeof value === 'string') return dateRange(value)
  if (!isObject(value)) return undefined
  return 'event' in value || 'repeat' in value ? rangeOfTiming(value) : rangeOfPeriod(value)
}

const rangeOfPeriod = ({ start, end }: Readonly<Record<string, unknown>>): Range => ({
  low: dateRange(textOf(start))?.low ?? LEAST,
  high: dateRange(textOf(end))?.high ?? MOST,
})

/** Its outer limits. */
function rangeOfTiming({ event, repeat }: Readonly<Record<string, unknown>>): Range {
  const events = [event].flat().flatMap((one) => dateRange(textOf(one)) ?? [])
  const bounds = objectsIn(repeat).flatMap(({ boundsPeriod }) => objectsIn(boundsPeriod).map(rangeOfPeriod))
  const ends = [...events, ...bounds].flatMap(({ low, high }) => [low, high]).sort(compareEnds)
  return { low: ends.at(0) ?? LEAST, high: ends.at(-1) ?? MOST }
}
