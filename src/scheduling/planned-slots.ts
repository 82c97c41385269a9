/**
 * Bookable times generated from working hours, which are in wall-clock time: a time that daylight saving skips is not
 * offered, and one that it repeats is offered once. Visits and buffers keep their length through clock changes.
 */
import type { CodeableConcept } from 'fhir/r4'
import { DAYS_OF_WEEK, type DayHours, type DayOfWeek, type OpeningHours, type SlotPlan } from './availability.ts'
import { clockOf, type Span, spanOf, type ZoneClock } from './zone-clock.ts'

const MINUTE = 60_000
const DAY = 86_400_000

export interface PlannedSlot extends Span {
  readonly kind: 'visit' | 'buffer'
  readonly appointmentType?: CodeableConcept
}

/** A visit with its adjacent buffers; they are offered together or not at all. */
export type Block = readonly PlannedSlot[]

export const startOf = (block: Block): number => block[0]?.start ?? 0
export const endOf = (block: Block): number => block.at(-1)?.end ?? 0

export const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end

/** The blocks that start within [from, until), in order and without overlaps; generated lazily. */
export function* plannedBlocks(plan: SlotPlan, from: number, until: number): Generator<Block> {
  const clock = clockOf(plan.timeZone)
  const closed = plan.notAvailable.map((period) => spanOf(period, clock))
  const open = spanOf(plan.planningHorizon ?? {}, clock)
  const dayOf = (instant: number): number => Math.floor(clock.wallTimeAt(instant) / DAY)
  const last = dayOf(open.end < until ? open.end : until)
  const weekly = new Map<string, readonly OpeningHours[]>()
  let end = Number.NEGATIVE_INFINITY
  for (let day = dayOf(open.start > from ? open.start : from); day <= last; day++) {
    for (const block of blocksOfDay(plan, day, clock, weekly)) {
      const span = { start: startOf(block), end: endOf(block) }
      // When clocks go forward, the next block is nearer than its wall-clock time suggests.
      if (span.start < end || span.start < from || span.start >= until) continue
      if (span.start < open.start || span.end > open.end || closed.some((one) => overlap(one, span))) continue
      end = span.end
      yield block
    }
  }
}

/** The first midnight after `instant`, at which the horizon extends by a day. */
export const nextMidnight = (timeZone: string, instant: number): number => midnightAfter(timeZone, instant, 1)

/** The end of the horizon, seen from `now`. */
export const horizonEnd = ({ timeZone, horizonDays }: SlotPlan, now: number): number =>
  midnightAfter(timeZone, now, horizonDays)

function midnightAfter(timeZone: string, instant: number, days: number): number {
  const clock = clockOf(timeZone)
  return clock.instantFrom((Math.floor(clock.wallTimeAt(instant) / DAY) + days) * DAY)
}

/**
 * @param day days since 1970-01-01, in calendar days
 * @param weekly cached hours by weekday
 */
function* blocksOfDay(
  plan: SlotPlan,
  day: number,
  clock: ZoneClock,
  weekly: Map<string, readonly OpeningHours[]>,
): Generator<Block> {
  for (const hours of openHours(plan, day, weekly)) {
    const parts = partsOf(plan, hours)
    const minutes = parts.reduce((sum, part) => sum + part.minutes, 0)
    const closing = clock.instantFrom(day * DAY + hours.until * MINUTE)
    for (let minute = hours.from; minute + minutes <= hours.until; minute += minutes) {
      const start = clock.instantOf(day * DAY + minute * MINUTE)
      if (start !== undefined && start + minutes * MINUTE <= closing) yield blockAt(start, parts)
    }
  }
}

/** The hours of a day without its breaks, sorted. */
function openHours(plan: SlotPlan, day: number, weekly: Map<string, readonly OpeningHours[]>): readonly OpeningHours[] {
  const date = new Date(day * DAY).toISOString().slice(0, 10)
  const special = plan.specialHours.filter((hours) => hours.date === date)
  if (special.length > 0) return inOrder(special)
  // 1970-01-01 was a Thursday.
  const weekday = DAYS_OF_WEEK[(((day + 3) % 7) + 7) % 7] ?? 'mon'
  const hours = weekly.get(weekday) ?? hoursOn(plan, weekday)
  weekly.set(weekday, hours)
  return hours
}

function hoursOn(plan: SlotPlan, weekday: DayOfWeek): readonly OpeningHours[] {
  const isThen = ({ daysOfWeek }: { readonly daysOfWeek: readonly string[] }) => daysOfWeek.includes(weekday)
  const breaks = plan.breaks.filter(isThen)
  const open = plan.weeklyHours.filter(isThen).flatMap((hours) => {
    const within = breaks.filter((one) => one.from < hours.until && hours.from < one.until)
    return within.reduce(without, [hours])
  })
  return inOrder(open)
}

const inOrder = <Hours extends DayHours>(hours: readonly Hours[]): readonly Hours[] =>
  hours.toSorted((one, other) => one.from - other.from)

const without = (hours: readonly OpeningHours[], { from, until }: DayHours): OpeningHours[] =>
  hours
    .flatMap((one) => [
      { ...one, until: Math.min(one.until, from) },
      { ...one, from: Math.max(one.from, until) },
    ])
    .filter((one) => one.from < one.until)

interface Part {
  readonly kind: PlannedSlot['kind']
  readonly minutes: number
  readonly appointmentType?: CodeableConcept
}

/** The parts of a block in these hours. */
function partsOf({ slotMinutes, appointmentTypes }: SlotPlan, { appointmentType }: OpeningHours): readonly Part[] {
  const found = appointmentTypes.find(({ code }) => code === appointmentType)
  if (found === undefined) return [{ kind: 'visit', minutes: slotMinutes }]
  const { type, minutes, bufferBefore, bufferAfter } = found
  const parts: readonly Part[] = [
    { kind: 'buffer', minutes: bufferBefore },
    { kind: 'visit', minutes, appointmentType: type },
    { kind: 'buffer', minutes: bufferAfter },
  ]
  return parts.filter((part) => part.minutes > 0)
}

function blockAt(start: number, parts: readonly Part[]): Block {
  let at = start
  return parts.map(({ minutes, ...part }) => {
    const slot = { ...part, start: at, end: at + minutes * MINUTE }
    at = slot.end
    return slot
  })
}
