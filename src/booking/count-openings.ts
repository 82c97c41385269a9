/** Counts the available times of all pages. */
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { bookableStarts } from '../scheduling/booking-policies.ts'
import type { Place } from '../scheduling/opening-order.ts'
import type { Span } from '../scheduling/zone-clock.ts'
import { END_OF_TIME } from '../search/plan.ts'
import { countFreeSlots, FreeSlots } from './free-slots.ts'
import { activeScheduleIds } from './offered-types.ts'
import { findOpenings, type Openings, type OpeningsQuery } from './openings.ts'

export interface CountedOpenings {
  readonly total: number
  /** False: there may be more. */
  readonly isAll: boolean
}

/** Most times counted if each free Slot is one time, so that an index can count them. */
const MOST_COUNTED = 500
/** Most Slots read if their content decides what they are for. */
export const LOOKED_THROUGH = 100

/** Maximum length of a Slot, in milliseconds; Slots that may end too late are checked individually. */
const LONGEST_SLOT = 86_400_000
/** Up to this number, the ends of Slots are checked. */
const FEW = 50
/** Most Schedules whose free Slots are counted individually; the index groups them by Schedule. */
const MOST_SCHEDULES = 16
/** Openings per page that is read only to be counted. */
const PAGE = 1_000

/** Whether each free Slot of the requested Schedules is one time. */
export const isCountedByIndex = ({ visitTypes = [], specialties = [], minutes, isWanted }: OpeningsQuery): boolean =>
  visitTypes.length + specialties.length === 0 && minutes === undefined && isWanted === undefined

/**
 * @param query the query of the first page, which has found `page`
 * @param isWhole true to count all times, however long it takes
 * @throws BudgetError
 */
export async function countOpenings(
  ctx: Context,
  query: OpeningsQuery,
  page: Openings,
  isWhole: boolean,
): Promise<CountedOpenings> {
  const found = { total: page.openings.length + page.counted, isAll: !page.isMore }
  if (found.isAll) return found
  const schedules = isCountedByIndex(query) ? (query.schedules ?? (await activeScheduleIds(ctx))) : undefined
  if (schedules === undefined || (!isWhole && schedules.length > MOST_SCHEDULES))
    return isWhole ? await countByLooking(ctx, query) : found
  return await countByIndex(ctx, schedules, query, isWhole ? Number.POSITIVE_INFINITY : MOST_COUNTED)
}

async function countByLooking(ctx: Context, query: OpeningsQuery): Promise<CountedOpenings> {
  let total = 0
  let after: Place | undefined
  do {
    const page = await findOpenings(ctx, { ...query, ...(after === undefined ? {} : { after }), limit: PAGE })
    total += page.openings.length
    after = page.next
  } while (after !== undefined)
  return { total, isAll: true }
}

interface Asked {
  readonly schedules: readonly string[]
  /** Range of the starts, in milliseconds since 1970 UTC. */
  readonly span: Span
  /** Latest end of a visit. */
  readonly until: number
  /**
   * Most times to count. If there are many, those that start in time but end too late are included. Infinite: count
   * all.
   */
  readonly most: number
}

/** Counts each free Slot of these Schedules, which are active. */
async function countByIndex(
  ctx: Context,
  schedules: readonly string[],
  { from, until }: OpeningsQuery,
  most: number,
): Promise<CountedOpenings> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  const { first, last } = bookableStarts(ctx.now, policies)
  const span = { start: Math.max(from, first), end: Math.min(until, last + 1, END_OF_TIME) }
  const asked = { schedules, span, until, most }
  const count = () => countFree(ctx, asked)
  // A count from now on is not cached, as no later request has the same start.
  return from < first ? await count() : await ctx.unit.recentAnswer(JSON.stringify(['times', asked]), ['Slot'], count)
}

async function countFree(ctx: Context, asked: Asked): Promise<CountedOpenings> {
  const { schedules, span, until, most } = asked
  const { start, end } = span
  const isExact = !Number.isFinite(most)
  const lastDay = isExact ? Math.min(end, Math.max(start, until - LONGEST_SLOT)) : end
  let total = 0
  for (const schedule of schedules) {
    if (total > most) break
    total += await countFreeSlots(ctx, [schedule], { start, end: lastDay }, most - total + 1)
    if (isExact) total += await countInTime(ctx, [schedule], { start: lastDay, end }, until)
  }
  if (total > most) return { total: most, isAll: false }
  return isExact || total > FEW
    ? { total, isAll: true }
    : await countFree(ctx, { ...asked, most: Number.POSITIVE_INFINITY })
}

async function countInTime(
  ctx: Context,
  schedules: readonly string[],
  { start, end }: Span,
  until: number,
): Promise<number> {
  const slots = new FreeSlots(ctx, { schedules, from: start, until: end, count: 100 })
  let inTime = 0
  while (!slots.isDone) for (const slot of await slots.next()) if (timeOf(slot.end) <= until) inTime += 1
  return inTime
}
