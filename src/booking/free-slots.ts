/**
 * The free Slots of some Schedules in order of start, read a part at a time: what is read grows with what is asked for,
 * not with what is stored.
 */
import type { Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import type { Condition, SearchPlan } from '../search/plan.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Slots of one search at most: more do not belong on the event loop. */
const MOST_AT_ONCE = 200
const FEWEST_AT_ONCE = 50

interface Wanted {
  /** Schedule.id; absent: of every Schedule. */
  readonly schedules?: readonly string[] | undefined
  /** Milliseconds since 1970 UTC: they start within [from, until). */
  readonly from: number
  readonly until: number
  /** How many are likely to be needed. */
  readonly count: number
}

/** Several Schedules are searched in windows of time, as their Slots of a window are put in order as a whole. */
export class FreeSlots {
  readonly #ctx: Context
  readonly #wanted: Wanted
  readonly #count: number
  #width: number
  /** The window that is being read; the cursor within it. */
  #window: { readonly start: number; readonly end: number }
  #cursor: string | undefined
  /** All that start before it have been read. */
  #frontier: number

  constructor(ctx: Context, wanted: Wanted) {
    const { schedules, from, until, count } = wanted
    this.#ctx = ctx
    this.#wanted = wanted
    this.#count = Math.min(MOST_AT_ONCE, Math.max(FEWEST_AT_ONCE, count))
    this.#width = schedules?.length === 1 ? Number.POSITIVE_INFINITY : DAY / Math.ceil((schedules?.length ?? 1) / 16)
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

  /** The next of them; perhaps none, though there are more. */
  async next(): Promise<readonly SlotWithId[]> {
    if (this.isDone) return []
    const { matches, next } = await this.#ctx.unit.search(this.#plan())
    const slots = matches.map(({ id, resource }): SlotWithId => ({ ...(resource as Slot), id }))
    this.#cursor = next
    if (next === undefined) this.#openWindow(slots.length)
    else this.#frontier = Math.max(this.#frontier, Date.parse(slots.at(-1)?.start ?? ''))
    return slots
  }

  /** The emptier the one before was, the longer. */
  #openWindow(found: number): void {
    const start = this.#window.end
    if (found < this.#count / 2) this.#width *= 4
    this.#window = { start, end: Math.min(this.#wanted.until, start + this.#width) }
    this.#frontier = start
  }

  #plan(): SearchPlan {
    const { schedules } = this.#wanted
    const { start, end } = this.#window
    const where: readonly Condition[] = [
      ...(schedules === undefined ? [] : [ofSchedules(schedules)]),
      { kind: 'token', param: 'status', code: 'free' },
      { kind: 'date', param: 'start', bounds: { lowMin: start, lowMax: end - 1 } },
    ]
    return {
      clinic: this.#ctx.clinic,
      types: ['Slot'],
      where,
      sort: [{ by: 'date', param: 'start', descending: false }],
      count: this.#count,
      ...(this.#cursor === undefined ? {} : { after: this.#cursor }),
      total: 'none',
      include: [],
      includeLimit: 0,
    }
  }
}

const ofSchedules = (ids: readonly string[]): Condition => {
  const of = ids.map((id): Condition => ({ kind: 'reference', param: 'schedule', type: 'Schedule', id }))
  const [only] = of
  return of.length === 1 && only !== undefined ? only : { kind: 'any', of }
}
