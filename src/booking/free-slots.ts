/**
 * The free Slots of some Schedules sorted by start, and grouped by it, read in parts: the number of reads depends on the
 * number of requested Slots, not of stored ones.
 */

import type { Slot } from 'fhir/r4'
import { LRUCache } from 'lru-cache'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { upTo } from '../fhir/memoize.ts'
import { spend } from '../isolation/budget.ts'
import { FairTurns } from '../isolation/fair-queue.ts'
import type { Versioned } from '../repository/repository.ts'
import { hasCode, isWithin, refersTo } from '../reservations/all-found.ts'
import { scheduleIdOf } from '../reservations/reservation.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { follows } from '../scheduling/slot-times.ts'
import type { Span } from '../scheduling/zone-clock.ts'
import type { SearchPlan } from '../search/plan.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Most Slots of one search, as parsing more would block the event loop. */
const MOST_AT_ONCE = 200
const FEWEST_AT_ONCE = 8

interface Wanted {
  /** Schedule.id; absent: all Schedules. */
  readonly schedules?: readonly string[] | undefined
  /** Milliseconds since 1970 UTC: Slots start within [from, until). */
  readonly from: number
  readonly until: number
  /** Number of Slots that are likely to be needed. */
  readonly count: number
}

/** Windows grow until each has about as many Slots as one search returns, by at most this factor. */
const GROWTH = 4
/** Most Schedules that have few Slots in a day. */
const FEW_SCHEDULES = 4

/**
 * For several Schedules, searches windows of time, as database engines sort all their Slots in a window, and again for
 * each page of it; so a window with more than a page is replaced by a narrower one. The Slots of a single Schedule,
 * and those of all, are read from an index that has them sorted.
 */
export class FreeSlots {
  readonly #ctx: Context
  readonly #wanted: Wanted
  readonly #isInOrder: boolean
  #count: number
  #width: number
  /** The current window, and the cursor within it. */
  #window: Span
  #cursor: string | undefined
  /** Slot.id of those that start with the window and have been returned. */
  #given: ReadonlySet<string> = NOTHING_GIVEN
  /** All Slots that start before it have been read. */
  #frontier: number

  constructor(ctx: Context, wanted: Wanted) {
    const { schedules, from, until, count } = wanted
    this.#ctx = ctx
    this.#wanted = wanted
    this.#count = Math.min(MOST_AT_ONCE, Math.max(FEWEST_AT_ONCE, count))
    this.#isInOrder = schedules === undefined || schedules.length === 1
    this.#width = this.#isInOrder ? Number.POSITIVE_INFINITY : DAY / Math.ceil((schedules?.length ?? 1) / FEW_SCHEDULES)
    this.#frontier = from
    this.#window = { start: from, end: Math.min(until, Math.ceil(from + this.#width)) }
  }

  /** All Slots that start before it have been returned; milliseconds since 1970 UTC. */
  get frontier(): number {
    return this.#frontier
  }

  get isDone(): boolean {
    return this.#frontier >= this.#wanted.until
  }

  /** The next Slots; may be empty even if there are more. They are shared and must not be changed. */
  async next(): Promise<readonly SlotWithId[]> {
    if (this.isDone) return []
    const { matches, next } = await this.#ctx.unit.search(this.#plan())
    const found = matches.map((match) => parsedSlot(this.#ctx.clinic, match))
    const given = this.#given
    // The first Slots were not enough.
    this.#count = Math.min(MOST_AT_ONCE, 2 * this.#count)
    if (next === undefined) this.#openWindow(found.length)
    else if (this.#isInOrder) this.#turnPage(next, startOf(found.at(-1)))
    else this.#narrowWindow(next, found)
    return given.size === 0 ? found : found.filter(({ id }) => !given.has(id))
  }

  #openWindow(found: number): void {
    const start = this.#window.end
    this.#width *= Math.max(1, Math.min(GROWTH, this.#count / Math.max(1, found)))
    this.#cursor = undefined
    this.#frontier = start
    this.#goOn({ start, end: start + this.#width }, NOTHING_GIVEN)
  }

  #turnPage(cursor: string, last: number): void {
    this.#cursor = cursor
    this.#frontier = Math.max(this.#frontier, last)
  }

  /** Opens a window with about a page of Slots, estimated from those found. */
  #narrowWindow(cursor: string, found: readonly SlotWithId[]): void {
    const { start, end } = this.#window
    const last = startOf(found.at(-1))
    // More Slots than a page start at the same time.
    if (last <= start && end - start <= 1) {
      this.#turnPage(cursor, last)
      return
    }
    const isOneTime = last <= start
    this.#width = Math.max(1, isOneTime ? this.#width / GROWTH : ((last - start) * this.#count) / found.length)
    this.#frontier = Math.max(this.#frontier, last)
    const given = found.filter((slot) => startOf(slot) === last).map(({ id }) => id)
    this.#goOn({ start: last, end: last + (isOneTime ? 1 : this.#width) }, new Set(given))
  }

  #goOn({ start, end }: Span, given: ReadonlySet<string>): void {
    this.#window = { start, end: Math.min(this.#wanted.until, Math.ceil(end)) }
    this.#given = given
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

const NOTHING_GIVEN: ReadonlySet<string> = new Set()

const startOf = (slot: SlotWithId | undefined): number => Date.parse(slot?.start ?? '')

/** Number of free Slots of these Schedules that start within [start, end); counts up to `most`. */
export async function countFreeSlots(
  ctx: Context,
  schedules: readonly string[],
  span: Span,
  most: number,
): Promise<number> {
  if (span.start >= span.end) return 0
  const bound = Number.isFinite(most) ? { countUpTo: most } : {}
  const { total = 0 } = await ctx.unit.search({
    ...planFor(ctx, schedules, span),
    ...{ count: 0, total: 'accurate', ...bound },
  })
  return total
}

const planFor = (
  { clinic }: Context,
  schedules: readonly string[] | undefined,
  span: Span,
): Omit<SearchPlan, 'count'> => ({
  clinic,
  types: ['Slot'],
  where: [
    ...(schedules === undefined
      ? []
      : [
          refersTo(
            'schedule',
            schedules.map((id) => `Schedule/${id}`),
          ),
        ]),
    hasCode('status', ['free']),
    isWithin('start', span),
  ],
  sort: [],
  total: 'none',
  include: [],
  includeLimit: 0,
})

/** Parsed Slots that are cached, as the next free ones are read repeatedly. */
const MOST = 5_000

/** By clinic and text, which includes id and version. */
const slots = new LRUCache<string, SlotWithId>(upTo(MOST))

/** The object is shared and must not be changed. */
function parsedSlot(clinic: string, found: Versioned): SlotWithId {
  const key = `${clinic} ${found.text}`
  const known = slots.get(key)
  if (known !== undefined) return known
  const slot = found.resource as SlotWithId
  slots.set(key, slot)
  return slot
}

/** Budget steps to read a Slot. */
const READ = 4

/**
 * Most searches end with the first Slots read. Of the others, one continues in each turn of the event loop, as a store
 * that responds without waiting would let them block it.
 */
const goingOn = new FairTurns()

/** Slots with the same start, in milliseconds since 1970 UTC. */
interface Group {
  readonly start: number
  readonly slots: readonly SlotWithId[]
}

export class SlotsByStart {
  readonly #slots: FreeSlots
  readonly #clinic: string
  readonly #baseUrl: string
  #reads = 0
  /** Slots read but not taken yet, sorted by start. */
  #queue: readonly SlotWithId[] = []
  /** All Slots read, by Schedule.id and start. */
  readonly #all = new Map<string, SlotWithId[]>()

  constructor(slots: FreeSlots, { clinic, baseUrl }: Pick<Context, 'clinic' | 'baseUrl'>) {
    this.#slots = slots
    this.#clinic = clinic
    this.#baseUrl = baseUrl
  }

  /** The next start with all its free Slots; undefined after the last one. */
  async next(): Promise<Group | undefined> {
    for (;;) {
      const [first] = this.#queue
      const start = first === undefined ? undefined : timeOf(first.start)
      if (start !== undefined && (start < this.#slots.frontier || this.#slots.isDone)) return this.#take(start)
      if (this.#slots.isDone) return undefined
      await this.#read()
    }
  }

  /** Free Slots in which a visit can continue after this one. */
  async following(slot: Slot): Promise<readonly SlotWithId[]> {
    const end = timeOf(slot.end)
    while (this.#slots.frontier <= end && !this.#slots.isDone) await this.#read()
    const beginning = this.#all.get(this.#keyOf(slot, end)) ?? []
    return beginning.filter((next) => follows(slot, next))
  }

  /** Returns undefined if the Schedule is on another server. */
  scheduleIdOf(slot: Slot): string | undefined {
    return scheduleIdOf(slot, this.#baseUrl)
  }

  #take(start: number): Group {
    const others = this.#queue.findIndex((slot) => timeOf(slot.start) !== start)
    const count = others === -1 ? this.#queue.length : others
    const slots = this.#queue.slice(0, count)
    this.#queue = this.#queue.slice(count)
    return { start, slots }
  }

  async #read(): Promise<void> {
    this.#reads += 1
    if (this.#reads > 1) await goingOn.next({ clinic: this.#clinic, token: '' })
    const slots = await this.#slots.next()
    spend(slots.length * READ, 'the slots that are looked at')
    this.#queue = [...this.#queue, ...slots]
    for (const slot of slots) {
      const key = this.#keyOf(slot, timeOf(slot.start))
      const beside = this.#all.get(key)
      if (beside === undefined) this.#all.set(key, [slot])
      else beside.push(slot)
    }
  }

  #keyOf(slot: Slot, at: number): string {
    return `${this.scheduleIdOf(slot)} ${at}`
  }
}
