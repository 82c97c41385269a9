/** The kinds of visits that the clinic offers: those of its active Schedules. */
import type { Schedule, Slot } from 'fhir/r4'
import { availabilityOf as knownAvailability, parsedSchedule } from '../availability/known-availability.ts'
import type { Context } from '../core/context.ts'
import { parseDateRange } from '../fhir/dates.ts'
import { spend } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'
import type { Availability } from '../scheduling/availability.ts'
import { distinctTypes, type OfferedType, typesOf } from '../scheduling/offered-types.ts'

/** Of a clinic: those that somebody may ask for by name; and those whose kinds of visits and hours are told. */
const MAX_SCHEDULES = 1_000
const MAX_TOLD = 50
const MAX_TYPES = 100

/** The next free Slots of a Schedule that are looked at where nothing but its Slots tells what it offers. */
const MAX_SLOTS = 20

/** Characters of a Schedule whose working hours are read in a step of the budget. */
const CHARACTERS_PER_STEP = 40

/** Each once, sorted by name. @throws BudgetError */
export async function offeredTypes(ctx: Context): Promise<readonly OfferedType[]> {
  const types: OfferedType[] = []
  for (const found of await toldSchedules(ctx)) {
    const availability = availabilityOf(found)
    const slots = availability === undefined ? await nextSlots(ctx, found.id) : []
    types.push(...typesOf(found.resource, availability, slots))
  }
  return distinctTypes(types).slice(0, MAX_TYPES)
}

type FoundSchedule = Pick<Versioned<Schedule>, 'id' | 'text' | 'resource'>

/** Those that may have Slots yet to come, as they were a moment ago. Their objects are shared: they are not to be changed. */
export async function activeSchedules(ctx: Context): Promise<readonly FoundSchedule[]> {
  return (await recentlyActive(ctx)).filter(({ resource: { planningHorizon } }) => {
    const end = planningHorizon?.end === undefined ? undefined : parseDateRange(planningHorizon.end)
    return end === undefined || end.high >= ctx.now
  })
}

/** Schedule.id of each, as they were a moment ago; undefined where they are too many. */
export async function activeScheduleIds(ctx: Context): Promise<readonly string[] | undefined> {
  const all = await recentlyActive(ctx)
  return all.length < MAX_SCHEDULES ? all.map(({ id }) => id) : undefined
}

const recentlyActive = (ctx: Context): Promise<readonly FoundSchedule[]> =>
  ctx.unit.recentView('Schedules that are active', ['Schedule'], () => allActive(ctx))

async function allActive(ctx: Context): Promise<readonly FoundSchedule[]> {
  const found = await ctx.search<Schedule>('Schedule', `active:not=false&_sort=_id&_count=${MAX_SCHEDULES}`)
  return found.map((one) => ({ id: one.id, text: one.text, resource: parsedSchedule(ctx.clinic, one) }))
}

/** The first of them: what more of them offer is not told. */
export const toldSchedules = async (ctx: Context): Promise<readonly FoundSchedule[]> =>
  (await activeSchedules(ctx)).slice(0, MAX_TOLD)

/** Undefined where no Slots are generated for it. @throws BudgetError */
export function availabilityOf({ text, resource }: FoundSchedule): Availability | undefined {
  spend(text.length / CHARACTERS_PER_STEP, 'the working hours of Schedules')
  return knownAvailability(resource)
}

async function nextSlots(ctx: Context, schedule: string): Promise<readonly Slot[]> {
  const from = encodeURIComponent(new Date(ctx.now).toISOString())
  const query = `schedule=Schedule/${schedule}&status=free&start=ge${from}&_sort=start&_count=${MAX_SLOTS}`
  return (await ctx.search<Slot>('Slot', query)).map(({ resource }) => resource)
}
