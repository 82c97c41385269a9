/**
 * Available times, in a stable order, and their number: a free Slot, or adjacent free Slots of one Schedule if one is too
 * short, in the future and permitted by the clinic's policies. Another client may take a time at any moment; a booking takes
 * its Slots.
 */
import type { Schedule } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { bookableStarts } from '../scheduling/booking-policies.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { firstOf, type Run } from '../scheduling/slot-times.ts'
import type { Span } from '../scheduling/zone-clock.ts'
import { END_OF_TIME } from '../search/plan.ts'
import { countFreeSlots, FreeSlots, SlotsByStart } from './free-slots.ts'
import { MOST_SLOTS } from './named-slots.ts'
import { activeScheduleIds } from './offered-types.ts'
import { type SlotCriteria, SlotMatcher } from './slot-matcher.ts'

/**
 * A position in the order of offered times: by start, then by preference, then by Slot, so that pages are stable and
 * complete.
 */
export interface Place {
  /** Milliseconds since 1970 UTC. */
  readonly start: number
  /** Position among the openings at that time; absent: before all of them. */
  readonly of?: {
    /** Lower is better; earlier elements take precedence. */
    readonly preference: readonly number[]
    readonly slot: string
  }
}

/** Negative if `one` comes first. */
function comparePlaces(one: Place, other: Place): number {
  if (one.start !== other.start) return one.start - other.start
  if (one.of === undefined || other.of === undefined)
    return Number(one.of !== undefined) - Number(other.of !== undefined)
  for (const [index, rank] of one.of.preference.entries()) {
    const difference = rank - (other.of.preference[index] ?? 0)
    if (difference !== 0) return difference
  }
  return one.of.slot === other.of.slot ? 0 : one.of.slot < other.of.slot ? -1 : 1
}

/** Times are milliseconds since 1970 UTC. */
export interface OpeningsQuery extends SlotCriteria {
  /** Earliest start of a visit. */
  readonly from: number
  /** Latest end of a visit. */
  readonly until: number
  /**
   * Exclusive limit of the starts; Slots from then on are read only to complete a visit. Absent: any start before
   * `until`.
   */
  readonly startsBefore?: number
  /** Whether a visit at this time is wanted. */
  readonly isWanted?: (start: number, end: number) => boolean
  /** Most openings on the page. */
  readonly limit: number
  /** `Openings.next` of the previous page. */
  readonly after?: Place
  /** Number of Slots to read for counting openings after the page; absent: none are counted. */
  readonly countThrough?: number
}

export interface Opening {
  /** Adjacent Slots of one Schedule, all free. */
  readonly slots: Run
  readonly scheduleId: string
  readonly schedule: Schedule
  readonly start: number
  readonly end: number
}

export interface Openings {
  /** Sorted by start; openings with the same start by preference of visit type, specialty and Schedule. */
  readonly openings: readonly Opening[]
  /** Start of the next page. It may exist even if this page is not full, as a page reads a limited number of Slots. */
  readonly next?: Place
  /** Number of openings after the page, as far as `countThrough` reaches. */
  readonly counted: number
  /** True if there may be more openings. */
  readonly isMore: boolean
  /**
   * A search from any of these moments has the same result, as long as no stored data change: no free Slot begins
   * between them. Undefined if the booking horizon ended the search, as it moves with time.
   */
  readonly sameFrom: Span | undefined
}

/** Most Slots read for one page. */
const MOST_EXAMINED = 1_000
/**
 * Slots read in addition to those needed, so that Slots with the same start are mostly read together; one Schedule has
 * a single Slot per start.
 */
const READ_BESIDES = 10
const READ_BESIDES_OF_ONE = 2
/** Maximum length of a visit in milliseconds: a visit that starts within the booking horizon may end after it. */
const LONGEST_VISIT = 86_400_000

/** @throws BudgetError */
export async function findOpenings(ctx: Context, query: OpeningsQuery): Promise<Openings> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  const { first, last: bookable } = bookableStarts(ctx.now, policies)
  const last = Math.min(bookable, (query.startsBefore ?? END_OF_TIME) - 1)
  const from = lookedFrom(query, first)
  const until = Math.min(query.until, last + LONGEST_VISIT, END_OF_TIME)
  const isEndedByHorizon = bookable < Math.min(query.startsBefore ?? END_OF_TIME, query.until, END_OF_TIME)
  const sameUntil = (end: number): Span | undefined => (isEndedByHorizon ? undefined : { start: from, end })
  if (from >= until || query.schedules?.length === 0)
    return { openings: [], counted: 0, isMore: false, sameFrom: sameUntil(Number.POSITIVE_INFINITY) }
  const { schedules, limit } = query
  const count = limit + (schedules?.length === 1 ? READ_BESIDES_OF_ONE : READ_BESIDES)
  const slots = new SlotsByStart(new FreeSlots(ctx, { schedules, from, until, count }), ctx)
  const search = new Search(slots, new SlotMatcher(ctx, query), query, last)
  const page = await pageOf(search, limit, query.countThrough ?? 0)
  return { ...page, sameFrom: sameUntil(search.earliest) }
}

/**
 * The moment from which times are searched.
 * @param first earliest bookable start (bookableStarts)
 */
export const lookedFrom = (
  { from, after }: { readonly from: number; readonly after?: Place | undefined },
  first: number,
): number => Math.max(from, first, after?.start ?? first)

async function pageOf(search: Search, limit: number, countThrough: number): Promise<Omit<Openings, 'sameFrom'>> {
  const openings: Opening[] = []
  let place: Place | undefined
  let counted = 0
  for await (const found of search.openings()) {
    if (openings.length < limit || place === undefined) {
      openings.push(found.opening)
      place = found.place
    } else if (search.examined < countThrough) counted += 1
    else return { openings, next: place, counted, isMore: true }
  }
  const next = counted > 0 ? place : search.rest
  return { openings, ...(next === undefined ? {} : { next }), counted, isMore: search.rest !== undefined }
}

/** A free Slot in which a visit may begin. */
interface Candidate {
  readonly slot: SlotWithId
  readonly scheduleId: string
  readonly length: number
  readonly place: Place
}

class Search {
  /** Position to continue from, if the search ended before all Slots were read. */
  rest: Place | undefined
  /** The earliest start of all Slots read. */
  earliest = Number.POSITIVE_INFINITY
  readonly #slots: SlotsByStart
  readonly #judge: SlotMatcher
  readonly #query: OpeningsQuery
  /** The latest start of a visit. */
  readonly #last: number
  #examined = 0

  constructor(slots: SlotsByStart, judge: SlotMatcher, query: OpeningsQuery, last: number) {
    this.#slots = slots
    this.#judge = judge
    this.#query = query
    this.#last = last
  }

  /** Number of Slots read so far. */
  get examined(): number {
    return this.#examined
  }

  async *openings(): AsyncGenerator<{ readonly opening: Opening; readonly place: Place }> {
    const { after } = this.#query
    for (let group = await this.#slots.next(); group !== undefined; group = await this.#slots.next()) {
      const { start, slots } = group
      this.earliest = Math.min(this.earliest, start)
      if (start > this.#last) return
      if (this.#examined >= MOST_EXAMINED) {
        this.rest = { start }
        return
      }
      this.#examined += slots.length
      for (const candidate of await this.#candidates(start, slots)) {
        const { place } = candidate
        const isPassed = after !== undefined && comparePlaces(place, after) <= 0
        const opening = isPassed ? undefined : await this.#openingFrom(candidate)
        if (opening !== undefined) yield { opening, place }
      }
    }
  }

  /** Sorted by preference. */
  async #candidates(start: number, slots: readonly SlotWithId[]): Promise<readonly Candidate[]> {
    const candidates: Candidate[] = []
    for (const slot of slots) {
      const scheduleId = this.#slots.scheduleIdOf(slot)
      const judgement = scheduleId === undefined ? undefined : await this.#judge.judge(slot, scheduleId)
      if (scheduleId === undefined || judgement === undefined) continue
      const { length, preference } = judgement
      candidates.push({ slot, scheduleId, length, place: { start, of: { preference, slot: slot.id } } })
    }
    return candidates.sort((one, other) => comparePlaces(one.place, other.place))
  }

  /** Returns undefined if the time is too short, too late, or not wanted, or the Schedule is gone. */
  async #openingFrom({ slot, scheduleId, length, place: { start } }: Candidate): Promise<Opening | undefined> {
    const run: [SlotWithId, ...SlotWithId[]] = [slot]
    let last = slot
    while (timeOf(last.end) - start < length && run.length < MOST_SLOTS) {
      const next = firstOf(await this.#slots.following(last))
      if (next === undefined) return undefined
      run.push(next)
      last = next
    }
    const end = timeOf(last.end)
    const { until, isWanted } = this.#query
    // A Slot without an end cannot be offered.
    if (!(end - start >= length && end <= until) || isWanted?.(start, end) === false) return undefined
    const schedule = await this.#judge.scheduleOf(scheduleId)
    return schedule && { slots: run, scheduleId, schedule, start, end }
  }
}

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
