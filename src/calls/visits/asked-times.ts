/** The requested times of a visit, read in the clinic's zone, region and working hours. */

import type { Period } from 'fhir/r4'
import type { DateTime } from 'luxon'
import { availabilityOf, toldSchedules } from '../../booking/offered-types.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { DAYS_OF_WEEK } from '../../scheduling/availability.ts'
import { workingHours } from '../../scheduling/opening-hours.ts'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { spokenTimes } from '../../spoken/spoken-times.ts'
import { localeOf } from '../../spoken/stated-values.ts'
import { WEEKDAYS } from '../../spoken/when/calendar.ts'
import { endAt, startAt } from '../../spoken/when/wall-clock.ts'
import type { OpeningTime, TimeWindow } from '../../spoken/when/window.ts'

/**
 * Returns undefined if nothing was said.
 * @throws FhirError 422 `when-unclear` with a question, or `when-not-understood`
 */
export async function askedTimes(ctx: Context, when: unknown): Promise<readonly TimeWindow[] | undefined> {
  if (when === undefined) return undefined
  const text = String(when)
  const { timeZone, defaultRegion: region } = await readSettings(ctx.unit, ctx.clinic)
  const { now } = localeOf({ timeZone, defaultRegion: region }, ctx.now)
  const alone = spokenTimes(text, { now, region, openingTimes: [] })
  // Working hours are read only if the words are ambiguous.
  const read =
    alone.kind === 'question' ? spokenTimes(text, { now, region, openingTimes: await openingTimes(ctx) }) : alone
  switch (read.kind) {
    case 'windows':
      return read.windows
    case 'question':
      throw unclear('when-unclear', `when can be read in several ways: ${read.question}`, read.question)
    case 'error':
      throw unclear('when-not-understood', `when: ${read.error}`, `Sorry. ${read.error}.`)
  }
}

const unclear = (reason: string, diagnostics: string, text: string): FhirError =>
  new FhirError(422, { code: 'value', reason, diagnostics, text, expression: 'when' })

const MIDNIGHT = 1440

async function openingTimes(ctx: Context): Promise<readonly OpeningTime[]> {
  const availabilities = (await toldSchedules(ctx)).flatMap((found) => availabilityOf(found) ?? [])
  const week = workingHours(availabilities)
  return WEEKDAYS.flatMap((weekday, index) => {
    const day = DAYS_OF_WEEK[index]
    const hours = day === undefined ? [] : (week.get(day) ?? [])
    return hours.map(({ from, until }) => ({ weekday, from, until: Math.min(until, MIDNIGHT) }))
  })
}

/** Most days written individually; later ones must be requested when they are nearer. */
const MOST_DAYS = 92
const MOST_PERIODS = 100

/**
 * The requested times as periods of an Appointment, each of them without a gap: recurring hours become one period a day.
 * @param timeZone IANA name of the clinic's time zone
 */
export function requestedPeriods(windows: readonly TimeWindow[], timeZone: string): Period[] {
  const clock = clockOf(timeZone)
  const written = ({ start, end }: Span): Period => ({
    start: clock.format(start.toMillis()),
    ...(end === undefined ? {} : { end: clock.format(end.toMillis()) }),
  })
  return windows.flatMap(spansOf).slice(0, MOST_PERIODS).map(written)
}

interface Span {
  readonly start: DateTime
  readonly end?: DateTime | undefined
}

function spansOf({ start, end, weekdays, timeOfDay = { from: 0, until: MIDNIGHT } }: TimeWindow): readonly Span[] {
  const isWholeDay = timeOfDay.from === 0 && timeOfDay.until === MIDNIGHT
  if (weekdays === undefined && (isWholeDay || isOneDay({ start, end })))
    return [end === undefined ? { start } : { start, end }]
  const spans: Span[] = []
  for (let day = start.startOf('day'), days = 0; days < MOST_DAYS && (end === undefined || day < end); days++) {
    const hours = { start: later(startAt(day, timeOfDay.from), start), end: earlier(endAt(day, timeOfDay.until), end) }
    const isAskedFor = weekdays === undefined || weekdays.some((weekday) => weekday === day.weekday)
    if (isAskedFor && hours.start < hours.end) spans.push(hours)
    day = day.plus({ days: 1 })
  }
  return spans
}

const isOneDay = ({ start, end }: Span): boolean => end !== undefined && end <= start.plus({ days: 1 }).startOf('day')

const later = (one: DateTime, other: DateTime): DateTime => (one > other ? one : other)
const earlier = (one: DateTime, other: DateTime | undefined): DateTime =>
  other === undefined || one < other ? one : other
