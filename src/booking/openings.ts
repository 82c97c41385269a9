/**
 * Times that can be booked: a free Slot, or adjacent free ones of one Schedule where one is too short, in the future and
 * as the clinic's policies allow. What is found may be taken a moment later; a booking takes its Slots.
 */
import type { Schedule } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { firstOf, type Run } from '../scheduling/adjacent-slots.ts'
import { bookableStarts } from '../scheduling/booking-policies.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { comparePlaces, type Place } from '../scheduling/opening-order.ts'
import type { Span } from '../scheduling/zoned-period.ts'
import { END_OF_TIME } from '../search/plan.ts'
import { FreeSlots } from './free-slots.ts'
import { type SlotCriteria, SlotMatcher } from './slot-matcher.ts'
import { MOST_SLOTS } from './slot-runs.ts'
import { SlotsByStart } from './slots-by-start.ts'

/** Times are milliseconds since 1970 UTC. */
export interface OpeningsQuery extends SlotCriteria {
  /** Visits start at or after it. */
  readonly from: number
  /** Visits end at or before it. */
  readonly until: number
  /** Visits start before it, and no Slot from it on is looked at but for their end; absent: any start before `until`. */
  readonly startsBefore?: number
  /** Whether a visit at this time is wanted. */
  readonly isWanted?: (start: number, end: number) => boolean
  /** Openings at most. */
  readonly limit: number
  /** `Openings.next` of the page before. */
  readonly after?: Place
  /** Openings behind the page are counted until so many Slots have been looked at; absent: none. */
  readonly countThrough?: number
}

export interface Opening {
  /** Adjacent ones of one Schedule, all free. */
  readonly slots: Run
  readonly scheduleId: string
  readonly schedule: Schedule
  readonly start: number
  readonly end: number
}

export interface Openings {
  /** By start; of those that start at the same time, by visit type, specialty and Schedule as they are preferred. */
  readonly openings: readonly Opening[]
  /** Where the next page begins. There may be one though this page is not full: a page looks at so many Slots at most. */
  readonly next?: Place
  /** Those behind the page, as far as `countThrough` says. */
  readonly counted: number
  /** There may be more. */
  readonly isMore: boolean
  /**
   * The same is found from any of these moments on, as long as nothing that is stored changes: no free Slot begins between
   * them. None, where the booking horizon has ended the look, as it moves on.
   */
  readonly sameFrom: Span | undefined
}

/** Slots that one page looks at. */
const MOST_EXAMINED = 1_000
/** Read on top of what is wanted, so that those that begin at one time are mostly read together: of a Schedule one does. */
const READ_BESIDES = 10
const READ_BESIDES_OF_ONE = 2
/** A visit that starts within the booking horizon may end behind it. */
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
 * The moment from which on times are looked for.
 * @param first from when on visits may be booked (bookableStarts)
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

/** A free Slot that a visit may begin in. */
interface Candidate {
  readonly slot: SlotWithId
  readonly scheduleId: string
  readonly length: number
  readonly place: Place
}

class Search {
  /** Where it goes on, when it ends before all Slots are looked at. */
  rest: Place | undefined
  /** When the first of all Slots begins that are looked at. */
  earliest = Number.POSITIVE_INFINITY
  readonly #slots: SlotsByStart
  readonly #judge: SlotMatcher
  readonly #query: OpeningsQuery
  /** The last start of a visit. */
  readonly #last: number
  #examined = 0

  constructor(slots: SlotsByStart, judge: SlotMatcher, query: OpeningsQuery, last: number) {
    this.#slots = slots
    this.#judge = judge
    this.#query = query
    this.#last = last
  }

  /** Slots so far. */
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

  /** In order of preference. */
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

  /** Undefined where the time is too short, too late, or not wanted, or nobody is there to see. */
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
    // A Slot whose end is absent is no time that can be offered.
    if (!(end - start >= length && end <= until) || isWanted?.(start, end) === false) return undefined
    const schedule = await this.#judge.scheduleOf(scheduleId)
    return schedule && { slots: run, scheduleId, schedule, start, end }
  }
}
