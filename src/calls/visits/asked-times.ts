/** The requested times of a visit, read in the clinic's zone, region and working hours. */
import { availabilityOf, toldSchedules } from '../../booking/offered-types.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { DAYS_OF_WEEK } from '../../scheduling/availability.ts'
import { workingHours } from '../../scheduling/opening-hours.ts'
import { spokenTimes } from '../../spoken/spoken-times.ts'
import { localeOf } from '../../spoken/stated-values.ts'
import { WEEKDAYS } from '../../spoken/when/calendar.ts'
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
