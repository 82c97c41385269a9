/** The kinds of visits offered by the clinic's active Schedules. */
import type { Schedule, Slot } from 'fhir/r4'
import { availabilityOf as knownAvailability, parsedSchedule } from '../availability/known-availability.ts'
import type { Context } from '../core/context.ts'
import { parseDateRange } from '../fhir/dates.ts'
import { spend } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'
import type { Availability } from '../scheduling/availability.ts'
import { distinctTypes, type OfferedType, typesOf } from '../scheduling/visit-type.ts'

/**
 * Limits for one clinic: Schedules that can be requested by name, Schedules whose kinds of visits and hours are listed,
 * and kinds of visits.
 */
const MAX_SCHEDULES = 1_000
const MAX_TOLD = 50
const MAX_TYPES = 100

/** Most upcoming free Slots read if only its Slots show what a Schedule offers. */
const MAX_SLOTS = 20

/** Characters of a Schedule per budget step, for parsing its working hours. */
const CHARACTERS_PER_STEP = 40

/** Distinct, sorted by name. @throws BudgetError */
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

/** Schedules that may have Slots in the future, cached for a moment. The objects are shared and must not be changed. */
export async function activeSchedules(ctx: Context): Promise<readonly FoundSchedule[]> {
  return (await recentlyActive(ctx)).filter(({ resource: { planningHorizon } }) => {
    const end = planningHorizon?.end === undefined ? undefined : parseDateRange(planningHorizon.end)
    return end === undefined || end.high >= ctx.now
  })
}

/** Schedule.id of each, cached for a moment; undefined if there are too many. */
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

/** The first Schedules; the offers of further ones are not listed. */
export const toldSchedules = async (ctx: Context): Promise<readonly FoundSchedule[]> =>
  (await activeSchedules(ctx)).slice(0, MAX_TOLD)

/** Returns undefined if no Slots are generated for the Schedule. @throws BudgetError */
export function availabilityOf({ text, resource }: FoundSchedule): Availability | undefined {
  spend(text.length / CHARACTERS_PER_STEP, 'the working hours of Schedules')
  return knownAvailability(resource)
}

async function nextSlots(ctx: Context, schedule: string): Promise<readonly Slot[]> {
  const from = encodeURIComponent(new Date(ctx.now).toISOString())
  const query = `schedule=Schedule/${schedule}&status=free&start=ge${from}&_sort=start&_count=${MAX_SLOTS}`
  return (await ctx.search<Slot>('Slot', query)).map(({ resource }) => resource)
}
