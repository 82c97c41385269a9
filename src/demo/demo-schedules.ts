/**
 * The Schedules of the demo clinic and their Slots, generated from working hours like those of any clinic, and the public
 * holidays of its country.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bundle, Extension, Schedule } from 'fhir/r4'
import { DateTime } from 'luxon'
import { generatePart, type PartSize, SLOT_GENERATION, stageAdopted } from '../availability/slot-generation.ts'
import type { Context } from '../core/context.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { recordKind } from '../repository/record-kinds.ts'
import { slotsOf } from '../scheduling/generated-slot.ts'
import { plannedBlocks } from '../scheduling/planned-slots.ts'
import type { Span } from '../scheduling/zone-clock.ts'

/** Demo data are loaded in one change, so that no client sees an incomplete clinic. */
const EVERYTHING: PartSize = { slots: Number.POSITIVE_INFINITY, days: Number.POSITIVE_INFINITY }

/** Record of older versions: the last day with slots, by demo schedule. */
const DEMO_SLOTS = recordKind<Filled>('demo-slots')

interface Filled {
  /** Local date, yyyy-mm-dd. */
  readonly through: string
}

/** Number of years whose holidays the Schedules have. */
const HOLIDAY_YEARS = 3

/** The public holidays of the coming years, on which the demo is closed. @param now milliseconds since 1970 UTC */
export const demoHolidays = (now: number): readonly Holiday[] =>
  publicHolidays(new Date(now).getUTCFullYear(), HOLIDAY_YEARS)

/** The demo Schedules, which are closed on public holidays. @param now milliseconds since 1970 UTC */
export async function loadSchedules(now: number): Promise<readonly Schedule[]> {
  const closed = demoHolidays(now).map(
    ({ date, name }): Extension => ({
      url: 'notAvailable',
      extension: [
        { url: 'during', valuePeriod: { start: date, end: date } },
        { url: 'description', valueString: name },
      ],
    }),
  )
  return (await load<Schedule>('schedules')).map((schedule) => ({
    ...schedule,
    extension: (schedule.extension ?? []).map((availability) => ({
      ...availability,
      extension: [...(availability.extension ?? []), ...closed],
    })),
  }))
}

/** Stages the Slots that are due for the demo Schedules that still exist, and returns their number. */
export async function fillDemoSchedules(ctx: Context): Promise<number> {
  let added = 0
  for (const schedule of await loadSchedules(ctx.now)) {
    await giveAvailability(ctx, schedule)
    added += (await generatePart(ctx, schedule.id ?? '', EVERYTHING)).created
  }
  return added
}

/**
 * Stages the past Slots of `day` that appointments hold, as generation does not create past Slots.
 * @param held Slot.id
 */
export async function stagePastSlots(ctx: Context, day: Span, held: ReadonlySet<string>): Promise<void> {
  for (const { id = '' } of await load<Schedule>('schedules')) {
    const plan = (await ctx.unit.records.read(SLOT_GENERATION, id))?.value.plan
    if (plan === undefined) continue
    const make = slotsOf(id, plan)
    const slots = Array.from(plannedBlocks(plan, day.start, Math.min(day.end, ctx.now))).flat()
    for (const slot of slots.map((planned) => make(planned))) {
      if (held.has(slot.id)) await ctx.unit.put(slot, 'PUT')
    }
  }
}

/** A demo Schedule with Slots for the given number of days. */
export const withSlotDays = (schedule: Schedule, days: number): Schedule => ({
  ...schedule,
  extension: schedule.extension?.map((availability) => ({
    ...availability,
    extension: availability.extension?.map((part) =>
      part.url === 'horizonDays' ? { ...part, valuePositiveInt: days } : part,
    ),
  })),
})

/** Adds working hours to a Schedule created by an older version; days that have had slots are left alone. */
async function giveAvailability(ctx: Context, { id = '', extension = [] }: Schedule): Promise<void> {
  const { records } = ctx.unit
  const filled = await records.read(DEMO_SLOTS, id)
  if (filled === undefined) return
  records.delete(DEMO_SLOTS, id)
  const stored = await ctx.find<Schedule>('Schedule', id)
  if (stored === undefined) return
  await ctx.update<Schedule>({ ...stored.resource, extension: [...(stored.resource.extension ?? []), ...extension] })
  await stageAdopted(ctx, id, filled.value.through)
}

/** https://www.opm.gov/policy-data-oversight/pay-leave/federal-holidays/ */
interface Holiday {
  /** Local date of observance, yyyy-mm-dd. */
  readonly date: string
  readonly name: string
}

/** Months and days of the week count from 1; Monday is 1. */
type Rule =
  | { readonly name: string; readonly month: number; readonly day: number }
  /** `week` -1 is the last one of the month. */
  | { readonly name: string; readonly month: number; readonly week: number; readonly weekday: number }

const RULES: readonly Rule[] = [
  { name: "New Year's Day", month: 1, day: 1 },
  { name: 'Birthday of Martin Luther King, Jr.', month: 1, week: 3, weekday: 1 },
  { name: "Washington's Birthday", month: 2, week: 3, weekday: 1 },
  { name: 'Memorial Day', month: 5, week: -1, weekday: 1 },
  { name: 'Juneteenth', month: 6, day: 19 },
  { name: 'Independence Day', month: 7, day: 4 },
  { name: 'Labor Day', month: 9, week: 1, weekday: 1 },
  { name: 'Columbus Day', month: 10, week: 2, weekday: 1 },
  { name: 'Veterans Day', month: 11, day: 11 },
  { name: 'Thanksgiving Day', month: 11, week: 4, weekday: 4 },
  { name: 'Christmas Day', month: 12, day: 25 },
]

/** The holidays of consecutive years. */
const publicHolidays = (from: number, years: number): readonly Holiday[] =>
  Array.from({ length: years }, (_, index) => from + index).flatMap((year) =>
    RULES.map((rule) => ({ name: rule.name, date: dayOf(rule, year).toISODate() ?? '' })),
  )

function dayOf(rule: Rule, year: number): DateTime {
  const first = DateTime.utc(year, rule.month, 1)
  if ('day' in rule) return keptOn(first.set({ day: rule.day }))
  if (rule.week === -1) {
    const last = first.endOf('month').startOf('day')
    return last.minus({ days: (last.weekday - rule.weekday + 7) % 7 })
  }
  return first.plus({ days: ((rule.weekday - first.weekday + 7) % 7) + 7 * (rule.week - 1) })
}

const SATURDAY = 6

/** The preceding Friday for a Saturday, the following Monday for a Sunday. */
function keptOn(day: DateTime): DateTime {
  if (!day.isWeekend) return day
  return day.weekday === SATURDAY ? day.minus({ days: 1 }) : day.plus({ days: 1 })
}

const FOLDER = join(import.meta.dirname, '../../resources/sandbox')

/** A file of the demo clinic in resources/sandbox, a Bundle of type collection. */
export async function load<R extends AnyResource = AnyResource>(name: string): Promise<readonly R[]> {
  const { entry = [] } = JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8')) as Bundle
  return entry.map(({ resource }) => resource as unknown as R)
}
