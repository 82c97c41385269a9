/** Date parameters: https://hl7.org/fhir/R4/search.html#date. Times without a zone are UTC. */
import { parseDateRange, type TimeRange } from '../../fhir/dates.ts'
import { isObject, itemsOf } from '../../fhir/resource.ts'
import type { SearchParameter, SearchParameterRecord } from '../parameters.ts'
import { BEGINNING_OF_TIME, type Condition, END_OF_TIME, type IndexEntry, type RangeBounds } from '../plan.ts'
import { any, malformed, type ValueContext } from '../value.ts'
import { boundsFor, type Prefix, tighten } from './range.ts'

export const DATE_MODIFIERS = [] as const

/** The parameter whose value the store itself keeps, so it has a condition of its own. */
export const LAST_UPDATED = '_lastUpdated'

export const dateCondition = (param: string, bounds: RangeBounds): Condition =>
  param === LAST_UPDATED ? { kind: 'lastUpdated', bounds } : { kind: 'date', param, bounds }

/** The longest date, month or year (ms): the last millisecond of a leap year minus its first. */
const MAX_SPAN_OF_DATE = 366 * 86_400_000 - 1

/** A plus sign that was not percent-encoded arrives as a space. */
const withPlus = (text: string): string => text.replace(/ (\d\d:\d\d)$/, '+$1')

export function parseDate(parameter: SearchParameter, text: string, context: ValueContext): Condition {
  const [, prefix = 'eq', date = ''] = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?(.*)$/s.exec(text) ?? []
  const stated = parseDateRange(withPlus(date))
  if (stated === undefined) {
    throw malformed(
      context,
      text,
      'is not a date; write YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss][zone] after one of eq, ne, gt, lt, ge, le, sa, eb, ap or nothing',
    )
  }
  const now = parameter.code === LAST_UPDATED ? context.machineTime : context.now
  const { low, high } = prefix === 'ap' ? approximately(stated, now) : stated
  const range = { low, high, before: low - 1, after: high + 1 }
  const span = spanOf(parameter)
  const bounds = boundsFor(prefix as Prefix, range, canStraddle(parameter, date))
    .map((bound) => tighten(bound, span))
    .filter((bound) => bound !== undefined)
  return any(bounds.map((bound) => dateCondition(parameter.code, bound)))
}

/** The longest range of the parameter, in milliseconds: last minus first. */
export const spanOf = ({ span }: Pick<SearchParameter, 'span'>): number =>
  span === 'instant' ? 0 : span === 'date' ? MAX_SPAN_OF_DATE : Number.POSITIVE_INFINITY

/**
 * True when a range of the parameter can begin before the stated date and end after it. A point cannot. A day, month,
 * year or second cannot straddle a year: two calendar years are the same or apart, and everything else is shorter.
 */
const canStraddle = ({ span }: SearchParameter, date: string): boolean =>
  span === undefined || (span === 'date' && date.length > 4)

/** Widens the range by a tenth of the gap between now and the date, as R4 recommends. */
function approximately({ low, high }: TimeRange, now: number): TimeRange {
  const gap = Math.max(low - now, now - high, 0)
  const tenth = Math.floor(gap / 10)
  return { low: low - tenth, high: high + tenth }
}

/**
 * Extracts a date, dateTime, instant, Period or Timing. An instant is a point in time, as R4 says: `10:00:00Z` equals
 * `10:00:00.000Z`. Only the outer limits of a Timing count.
 */
export function extractDate({ code: param, span }: SearchParameterRecord, value: unknown, entries: IndexEntry[]): void {
  const range = isObject(value) ? limitsOf(value) : rangeOf(value)
  if (range === undefined) return
  entries.push({ kind: 'date', param, low: range.low, high: span === 'instant' ? range.low : range.high })
}

function limitsOf(value: Record<string, unknown>): TimeRange | undefined {
  if ('start' in value || 'end' in value) return periodRange(value)
  // The code of an Age, which is possible in place of a date, is a text.
  if ('event' in value || 'repeat' in value || isObject(value.code)) return timingRange(value)
  return undefined
}

/** The range of a Period; an end that is a day includes the whole of it. */
const periodRange = ({ start, end }: Record<string, unknown>): TimeRange => ({
  low: rangeOf(start)?.low ?? BEGINNING_OF_TIME,
  high: rangeOf(end)?.high ?? END_OF_TIME,
})

/** The range from the first to the last of its events and bounds; all time where there are none. */
function timingRange({ event, repeat }: Record<string, unknown>): TimeRange {
  const bounds = isObject(repeat) && isObject(repeat.boundsPeriod) ? [periodRange(repeat.boundsPeriod)] : []
  const events = itemsOf(event)
    .map(rangeOf)
    .filter((range) => range !== undefined)
  const ranges = [...bounds, ...events]
  if (ranges.length === 0) return { low: BEGINNING_OF_TIME, high: END_OF_TIME }
  return { low: Math.min(...ranges.map(({ low }) => low)), high: Math.max(...ranges.map(({ high }) => high)) }
}

const rangeOf = (value: unknown): TimeRange | undefined =>
  typeof value === 'string' ? parseDateRange(value) : undefined
