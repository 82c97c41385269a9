/** Consecutive Slots of one Schedule, including the changes staged so far. */
import type { Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { spend } from '../isolation/budget.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { firstOf, follows, type Run } from '../scheduling/slot-times.ts'

/** Most Slots of one visit: a day of five-minute Slots. */
export const MOST_SLOTS = 288
/** Budget steps to look up the Slots after another. */
const FOLLOWED = 30
/** Most free Slots joined for one visit, so that a change that frees many stays short. */
const MOST_FREE = 24
const MINUTE = 60_000

/** Slots in which a visit can continue. */
export async function followersOf(ctx: Context, last: Slot): Promise<readonly SlotWithId[]> {
  spend(FOLLOWED, 'its slots')
  const { schedule, end } = last
  const at = timeOf(end)
  if (Number.isNaN(at)) return []
  const [from, until] = [at, at + 1000].map((time) => new Date(time).toISOString())
  const query = `schedule=${encodeURIComponent(schedule.reference ?? '')}&start=ge${from}&start=lt${until}`
  const stored = await ctx.search<Slot>('Slot', query)
  const found = await Promise.all(stored.map(({ id }) => ctx.find<Slot>('Slot', id)))
  return found
    .flatMap((one): SlotWithId[] => (one === undefined ? [] : [{ ...one.resource, id: one.id }]))
    .filter((slot) => follows(last, slot))
}

/** Free Slots from this one on, as many as the visit needs, up to 24; fewer if there are not enough. */
export async function freeRunFrom(ctx: Context, first: SlotWithId, minutes: number): Promise<Run> {
  const run: [SlotWithId, ...SlotWithId[]] = [first]
  let last = first
  while (!isLongEnough(run, minutes) && run.length < MOST_FREE) {
    const next = firstOf((await followersOf(ctx, last)).filter(({ status }) => status === 'free'))
    if (next === undefined) break
    run.push(next)
    last = next
  }
  return run
}

export const isLongEnough = (run: Run, minutes: number): boolean =>
  timeOf(run.at(-1)?.end) - timeOf(run[0].start) >= minutes * MINUTE
