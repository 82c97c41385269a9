/** How many times can be booked, of all pages. */
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { bookableStarts } from '../scheduling/booking-policies.ts'
import type { Place } from '../scheduling/opening-order.ts'
import type { Span } from '../scheduling/zoned-period.ts'
import { END_OF_TIME } from '../search/plan.ts'
import { countFreeSlots, FreeSlots } from './free-slots.ts'
import { findOpenings, type OpeningsQuery } from './openings.ts'

/** Slots are no longer than this; those that may end too late are looked at one by one. */
const LONGEST_SLOT = 86_400_000
const MOST_SCHEDULES = 16
/** Openings of a page that is only counted. */
const PAGE = 1_000

/** @throws BudgetError */
export async function countOpenings(ctx: Context, query: OpeningsQuery): Promise<number> {
  const { schedules, visitTypes = [], specialties = [], minutes, isWanted } = query
  const isPlain = visitTypes.length + specialties.length === 0 && minutes === undefined && isWanted === undefined
  const isIndexed = schedules !== undefined && schedules.length <= MOST_SCHEDULES && isPlain
  return isIndexed ? await countByIndex(ctx, schedules, query) : await countByLooking(ctx, query)
}

async function countByLooking(ctx: Context, query: OpeningsQuery): Promise<number> {
  const { after: _after, ...first } = query
  let total = 0
  let after: Place | undefined
  do {
    const { openings, next } = await findOpenings(ctx, {
      ...first,
      ...(after === undefined ? {} : { after }),
      limit: PAGE,
    })
    total += openings.length
    after = next
  } while (after !== undefined)
  return total
}

/** Each free Slot of these Schedules, which are active, is one. */
async function countByIndex(ctx: Context, schedules: readonly string[], query: OpeningsQuery): Promise<number> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  const { first, last } = bookableStarts(ctx.now, policies)
  const start = Math.max(query.from, first)
  const end = Math.min(query.until, last + 1, END_OF_TIME)
  if (start >= end || schedules.length === 0) return 0
  const all = await countFreeSlots(ctx, schedules, { start, end })
  return all - (await countTooLate(ctx, schedules, { start: Math.max(start, query.until - LONGEST_SLOT), end }, query))
}

async function countTooLate(
  ctx: Context,
  schedules: readonly string[],
  { start, end }: Span,
  { until }: OpeningsQuery,
): Promise<number> {
  if (start >= end) return 0
  const slots = new FreeSlots(ctx, { schedules, from: start, until: end, count: 100 })
  let tooLate = 0
  while (!slots.isDone) for (const slot of await slots.next()) if (Date.parse(slot.end) > until) tooLate += 1
  return tooLate
}
