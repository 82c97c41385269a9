/**
 * The free Slots of some Schedules in order of start, read a part at a time: what is read grows with what is asked for,
 * not with what is stored.
 */
import type { Context } from '../core/context.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import type { Span } from '../scheduling/zoned-period.ts'
import type { Condition, SearchPlan } from '../search/plan.ts'
import { parsedSlot } from './parsed-slots.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Slots of one search at most: more do not belong on the event loop. */
const MOST_AT_ONCE = 200
const FEWEST_AT_ONCE = 20

interface Wanted {
  /** Schedule.id; absent: of every Schedule. */
  readonly schedules?: readonly string[] | undefined
  /** Milliseconds since 1970 UTC: they start within [from, until). */
  readonly from: number
  readonly until: number
  /** How many are likely to be needed. */
  readonly count: number
}

/** Windows grow so that each has about as many Slots as one search gives, by so much at most. */
const GROWTH = 4
/** Schedules whose Slots of a day are few. */
const FEW_SCHEDULES = 16

/**
 * Some Schedules are searched in windows of time, as engines put all their Slots of a window in order; the Slots of one
 * Schedule, and those of all, are read from an index that has them in order.
 */
export class FreeSlots {
  readonly #ctx: Context
  readonly #wanted: Wanted
  #count: number
  #width: number
  /** The window that is being read; the cursor within it. */
  #window: Span
  #cursor: string | undefined
  /** All that start before it have been read. */
  #frontier: number

  constructor(ctx: Context, wanted: Wanted) {
    const { schedules, from, until, count } = wanted
    this.#ctx = ctx
    this.#wanted = wanted
    this.#count = Math.min(MOST_AT_ONCE, Math.max(FEWEST_AT_ONCE, count))
    this.#width = isInOrder(schedules) ? Number.POSITIVE_INFINITY : DAY / Math.ceil(schedules.length / FEW_SCHEDULES)
    this.#frontier = from
    this.#window = { start: from, end: Math.min(until, from + this.#width) }
  }

  /** Milliseconds since 1970 UTC: those that start before it have been given. */
  get frontier(): number {
    return this.#frontier
  }

  get isDone(): boolean {
    return this.#frontier >= this.#wanted.until
  }

  /** The next of them; perhaps none, though there are more. They are shared, and not to be changed. */
  async next(): Promise<readonly SlotWithId[]> {
    if (this.isDone) return []
    const { matches, next } = await this.#ctx.unit.search(this.#plan())
    const slots = matches.map((found) => parsedSlot(this.#ctx.clinic, found))
    this.#cursor = next
    // The first of them were not enough.
    this.#count = Math.min(MOST_AT_ONCE, 2 * this.#count)
    if (next === undefined) this.#openWindow(slots.length)
    else this.#frontier = Math.max(this.#frontier, Date.parse(slots.at(-1)?.start ?? ''))
    return slots
  }

  #openWindow(found: number): void {
    const start = this.#window.end
    this.#width *= Math.max(1, Math.min(GROWTH, this.#count / Math.max(1, found)))
    this.#window = { start, end: Math.min(this.#wanted.until, start + this.#width) }
    this.#frontier = start
  }

  #plan(): SearchPlan {
    return {
      ...planFor(this.#ctx, this.#wanted.schedules, this.#window),
      sort: [{ by: 'date', param: 'start', descending: false }],
      count: this.#count,
      ...(this.#cursor === undefined ? {} : { after: this.#cursor }),
    }
  }
}

/** How many free Slots of these Schedules start within [start, end); of more than `most` only so many are counted. */
export async function countFreeSlots(
  ctx: Context,
  schedules: readonly string[],
  span: Span,
  most: number,
): Promise<number> {
  if (span.start >= span.end) return 0
  const upTo = Number.isFinite(most) ? { countUpTo: most } : {}
  const { total = 0 } = await ctx.unit.search({
    ...planFor(ctx, schedules, span),
    ...{ count: 0, total: 'accurate', ...upTo },
  })
  return total
}

const planFor = (
  { clinic }: Context,
  schedules: readonly string[] | undefined,
  { start, end }: Span,
): Omit<SearchPlan, 'count'> => ({
  clinic,
  types: ['Slot'],
  where: [
    ...(schedules === undefined ? [] : [ofSchedules(schedules)]),
    { kind: 'token', param: 'status', code: 'free' },
    { kind: 'date', param: 'start', bounds: { lowMin: start, lowMax: end - 1 } },
  ],
  sort: [],
  total: 'none',
  include: [],
  includeLimit: 0,
})

const isInOrder = (schedules: readonly string[] | undefined): schedules is undefined | readonly [string] =>
  schedules === undefined || schedules.length === 1

const ofSchedules = (ids: readonly string[]): Condition => {
  const of = ids.map((id): Condition => ({ kind: 'reference', param: 'schedule', type: 'Schedule', id }))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { kind: 'any', of }
}
