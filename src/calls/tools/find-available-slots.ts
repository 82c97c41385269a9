/**
 * find_available_slots: a few free times that suit the caller, each with a key to book it. At most five are offered. If there
 * are more, the first of each part of a day (morning, afternoon from noon, evening from five), so that a caller without
 * preferences hears different days; if they fall in fewer than three parts, times spread evenly among them.
 * docs/tools/find-available-slots.md
 */
import { endDueHolds } from '../../booking/holds.ts'
import { findOpenings, type Opening, type OpeningsQuery } from '../../booking/openings.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { clockOf, type WallTime, type ZoneClock } from '../../scheduling/zone-clock.ts'
import type { TimeWindow } from '../../spoken/when/window.ts'
import { verifiedPatientOf } from '../session/verification.ts'
import { type AskedType, askedActors, askedTimes, askedType, visitTypeOf } from '../visits/asked-visit.ts'
import { keysForTimes, type OfferedTime, offersByPhone } from '../visits/offered-time.ts'
import { labelled, sayChoice, type VisitWords, visitWords } from '../visits/visit-label.ts'

export const findAvailableSlots = defineOperation('slot-find-available-slots', async ({ access, input, call }) => {
  await endDueHolds(access)
  return await access.change(async (ctx) => {
    const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
    const type = await askedType(ctx, call, input.appointmentType)
    const windows = await askedTimes(ctx, input.when)
    const chosen = await chooseTimes(ctx, await wishesOf(ctx, input, type), windows, timeZone)
    const offers = await waitlistOffers(ctx, call)
    const waitedFor = offers.slice(0, MOST_TIMES)
    const known = new Set(waitedFor.map(({ time }) => time.slots[0]))
    const found = await Promise.all(chosen.openings.map((opening) => asTime(ctx, opening, type)))
    const besides = found.filter(({ time }) => !known.has(time.slots[0]))
    const others = besides.slice(0, MOST_TIMES - waitedFor.length)
    const slots = await toldSlots(ctx, call, waitedFor, others)
    const more = chosen.more || offers.length + besides.length > slots.length
    return { success: true, slots, more, ...saying(chosen, waitedFor, others) }
  })
})

async function wishesOf(ctx: Context, { practitionerName, locationName }: OperationInput, type: AskedType | undefined) {
  const { schedules } = await askedActors(ctx, { practitionerName, locationName })
  return {
    ...(schedules === undefined ? {} : { schedules }),
    ...(type === undefined ? {} : { visitTypes: [visitTypeOf(type)] }),
  }
}

interface Time {
  readonly time: OfferedTime
  readonly words: VisitWords
}

async function asTime(
  ctx: Context,
  { slots, schedule }: ChosenTimes['openings'][number],
  type: AskedType | undefined,
): Promise<Time> {
  const { start = '' } = slots[0]
  const time = { slots: slots.map(({ id }) => id), start, ...(type === undefined ? {} : { type: type.query }) }
  return { time, words: await visitWords(ctx, start, schedule.actor) }
}

/** Only a verified patient hears of their waitlist offers. */
async function waitlistOffers(ctx: Context, call: CallSession | undefined): Promise<readonly Time[]> {
  const patient = call && (await verifiedPatientOf(ctx, call))
  if (patient === undefined) return []
  return await Promise.all(
    (await offersByPhone(ctx, patient)).map(async ({ time, schedule }) => ({
      time,
      words: await visitWords(ctx, time.start, schedule.actor),
    })),
  )
}

/** Staff get no keys, as they have no call. */
async function toldSlots(
  ctx: Context,
  call: CallSession | undefined,
  waitedFor: readonly Time[],
  others: readonly Time[],
) {
  const all = [...waitedFor, ...others]
  const times = all.map(({ time }) => time)
  const keys = call === undefined ? [] : await keysForTimes(ctx, call, times)
  return all.map(({ words }, index) => ({
    ...(call === undefined ? {} : { slotKey: keys[index] }),
    ...labelled(words),
    ...(index < waitedFor.length ? { fromWaitlist: true } : {}),
  }))
}

function saying({ isLater }: ChosenTimes, waitedFor: readonly Time[], others: readonly Time[]) {
  const [news, offer] = [waitedFor, others].map((times) => sayChoice(times.map(({ words }) => words)))
  const isNew = waitedFor.length > 0
  if (others.length === 0) {
    return isNew
      ? { say: `A time that you are waiting for has become free: ${news}. Would you like it?` }
      : { code: 'nothing-free', say: 'I am sorry, I find no free time. Would you like to be put on the waitlist?' }
  }
  const first = isNew ? `A time that you are waiting for has become free: ${news}. ` : ''
  const question = `${offer}. ${others.length === 1 ? 'Would you like that' : 'Which one would you like'}?`
  return isLater
    ? { code: 'later-times', say: `${first}Nothing is free then. The next I have is ${question}` }
    : { say: `${first}${isNew ? 'Besides, I' : 'I'} have ${question}` }
}

export interface ChosenTimes {
  /** Sorted by start. */
  readonly openings: readonly Opening[]
  /** True if there are further times. */
  readonly more: boolean
  /** True if no requested time is free; the openings are then later ones. */
  readonly isLater: boolean
}

type Criteria = Pick<OpeningsQuery, 'schedules' | 'visitTypes'>

const MOST_TIMES = 5
const FEWEST = 3
/** Free times read in one search; most clinics have fewer on a day. */
const AT_ONCE = 48
/** Most searches, each for later times. */
const LOOKS = 8
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The furthest future that spoken times can name, in milliseconds. */
const LONGEST = 2 * 366 * DAY

/** @param windows absent: any time @param zone IANA name of the clinic's time zone */
async function chooseTimes(
  ctx: Context,
  criteria: Criteria,
  windows: readonly TimeWindow[] | undefined,
  zone: string,
): Promise<ChosenTimes> {
  const clock = clockOf(zone)
  const anyTime = { from: ctx.now, until: ctx.now + LONGEST }
  if (windows === undefined) return { ...(await lookFor(ctx, { ...criteria, ...anyTime }, clock)), isLater: false }
  const starts = windows.map(({ start }) => start.toMillis())
  const from = Math.min(...starts)
  const until = Math.max(...windows.map(({ end }) => end?.toMillis() ?? anyTime.until))
  const tests = windows.map((window) => startsIn(window, clock))
  const isWanted = (start: number) => tests.some((test) => test(start))
  // Windows limit starts, and a visit that starts at their end is over within a day.
  const found = await lookFor(ctx, { ...criteria, from, until: until + DAY, isWanted }, clock, (moment) =>
    nextSpan(windows, moment, clock),
  )
  if (found.openings.length > 0) return { ...found, isLater: false }
  return { ...(await lookFor(ctx, { ...criteria, ...anyTime, from }, clock)), isLater: true }
}

type Query = Omit<OpeningsQuery, 'limit'>

/** Wanted moments from `from` (inclusive) to `until` (exclusive), in milliseconds since 1970 UTC. */
interface Span {
  readonly from: number
  readonly until: number
}

/** The first span that ends after a moment; undefined if there is none. */
type NextSpan = (moment: number) => Span | undefined

/** Days within which there may be more parts than are offered. */
const FEW_DAYS = 2

async function lookFor(
  ctx: Context,
  query: Query,
  clock: ZoneClock,
  next: NextSpan = (from) => (from < query.until ? { from, until: query.until } : undefined),
): Promise<Omit<ChosenTimes, 'isLater'>> {
  const isLong = query.until - query.from > (FEW_DAYS + 1) * DAY
  const { parts, more } = isLong ? await firstOfParts(ctx, query, clock, next) : { parts: [], more: false }
  if (parts.length >= FEWEST && more) return { openings: parts.slice(0, MOST_TIMES), more }
  // A few times in a few parts: choose among all of them.
  return await lookThrough(ctx, { ...query, from: parts[0]?.start ?? query.from }, clock)
}

/** Most searches for parts; most practitioners have free times in fewer parts of a day. */
const PARTS_LOOKED_AT = 16

/**
 * Reads only the beginning of each part of a day, and skips unwanted days. `more`: whether there are more than are
 * offered.
 */
async function firstOfParts(
  ctx: Context,
  query: Query,
  clock: ZoneClock,
  next: NextSpan,
): Promise<{ readonly parts: readonly Opening[]; readonly more: boolean }> {
  const parts: Opening[] = []
  const seen = new Set<string>()
  let span = next(query.from)
  for (let looks = 0; span !== undefined && looks < PARTS_LOOKED_AT; looks++) {
    const within = { from: span.from, startsBefore: Math.min(query.until, span.until) }
    const { openings, next: rest } = await findOpenings(ctx, { ...query, ...within, limit: MOST_TIMES + 1 })
    const [first] = openings
    if (first === undefined && rest !== undefined) break
    if (first !== undefined) parts.push(first)
    for (const { slots } of openings) seen.add(slots[0].id)
    if (parts.length >= MOST_TIMES && seen.size > MOST_TIMES) break
    span = next(first === undefined ? span.until : clock.instantFrom(endOfPart(first.start, clock)))
  }
  return { parts, more: seen.size > MOST_TIMES }
}

async function lookThrough(ctx: Context, query: Query, clock: ZoneClock): Promise<Omit<ChosenTimes, 'isLater'>> {
  const found: Opening[] = []
  let next: Query | undefined = query
  for (let looks = 0; looks < LOOKS && next !== undefined; looks++) {
    const page = await findOpenings(ctx, { ...next, limit: AT_ONCE })
    found.push(...page.openings)
    const last = page.openings.at(-1)
    if (page.next === undefined) next = undefined
    else if (partsOf(found, clock).length >= FEWEST) break
    // Enough times have been read in this part of the day.
    else if (last !== undefined && page.openings.length === AT_ONCE)
      next = { ...query, from: clock.instantFrom(endOfPart(last.start, clock)) }
    else next = { ...query, after: page.next }
  }
  const openings = choose(found, next !== undefined, clock)
  return { openings, more: next !== undefined || found.length > openings.length }
}

function choose(found: readonly Opening[], isMore: boolean, clock: ZoneClock): readonly Opening[] {
  const times = firstOfEach(found, ({ start }) => start)
  if (times.length <= MOST_TIMES && !isMore) return filledUp(times, found)
  const parts = partsOf(found, clock)
  return parts.length >= FEWEST ? parts.slice(0, MOST_TIMES) : filledUp(evenly(times), found)
}

/** If few times are free, adds other openings at the same times. */
function filledUp(chosen: readonly Opening[], found: readonly Opening[]): readonly Opening[] {
  if (chosen.length >= FEWEST) return chosen
  const others = found.filter((opening) => !chosen.includes(opening)).slice(0, MOST_TIMES - chosen.length)
  return [...chosen, ...others].toSorted((one, other) => one.start - other.start)
}

const evenly = (times: readonly Opening[]): readonly Opening[] =>
  times.length <= MOST_TIMES
    ? times
    : Array.from({ length: MOST_TIMES }, (_, index) =>
        Math.round((index * (times.length - 1)) / (MOST_TIMES - 1)),
      ).flatMap((index) => times[index] ?? [])

const partsOf = (found: readonly Opening[], clock: ZoneClock): readonly Opening[] =>
  firstOfEach(found, ({ start }) => endOfPart(start, clock))

function firstOfEach<Key>(found: readonly Opening[], keyOf: (opening: Opening) => Key): readonly Opening[] {
  const first = new Map<Key, Opening>()
  for (const opening of found) {
    const key = keyOf(opening)
    if (!first.has(key)) first.set(key, opening)
  }
  return [...first.values()]
}

/** Hours at which a part of the day ends, before midnight. */
const PARTS = [12, 17]

/** End of the part of the day that contains a moment, in wall-clock time. */
function endOfPart(moment: number, clock: ZoneClock): WallTime {
  const time = clock.wallTimeAt(moment)
  const midnight = Math.floor(time / DAY) * DAY
  const hour = PARTS.find((end) => time < midnight + end * HOUR) ?? 24
  return midnight + hour * HOUR
}

/** The next span, from `from` on, in any of the windows. */
function nextSpan(windows: readonly TimeWindow[], from: number, clock: ZoneClock): Span | undefined {
  const spans = windows.flatMap((window) => nextIn(window, from, clock) ?? [])
  return spans.toSorted((one, other) => one.from - other.from)[0]
}

const DAYS_OF_WEEK = 7

function nextIn(window: TimeWindow, from: number, clock: ZoneClock): Span | undefined {
  const { start, end, weekdays, timeOfDay } = window
  const isIn = startsIn(window, clock)
  const last = end?.toMillis() ?? Number.POSITIVE_INFINITY
  const earliest = Math.max(from, start.toMillis())
  if (weekdays === undefined && timeOfDay === undefined)
    return isIn(earliest) ? { from: earliest, until: last } : undefined
  const today = Math.floor(clock.wallTimeAt(earliest) / DAY) * DAY
  for (let day = today; day <= today + DAYS_OF_WEEK * DAY; day += DAY) {
    const opens = Math.max(earliest, clock.instantFrom(day + (timeOfDay?.from ?? 0) * MINUTE))
    const closes = timeOfDay === undefined ? day + DAY : day + timeOfDay.until * MINUTE
    if (isIn(opens)) return { from: opens, until: Math.min(last, clock.instantFrom(closes)) }
  }
  return undefined
}

/** Whether a visit that starts at a moment is within the window; fast, for checking many moments. */
function startsIn({ start, end, weekdays, timeOfDay }: TimeWindow, clock: ZoneClock): (moment: number) => boolean {
  const [from, until] = [start.toMillis(), end?.toMillis() ?? Number.POSITIVE_INFINITY]
  return (moment) => {
    if (moment < from || moment >= until) return false
    if (weekdays === undefined && timeOfDay === undefined) return true
    const time = clock.wallTimeAt(moment)
    const day = Math.floor(time / DAY)
    const minute = Math.floor((time - day * DAY) / MINUTE)
    // 1970-01-01 was a Thursday.
    const weekday = ((day + 3) % 7) + 1
    const isOnDay = weekdays === undefined || weekdays.some((one) => one === weekday)
    return isOnDay && (timeOfDay === undefined || (minute >= timeOfDay.from && minute < timeOfDay.until))
  }
}
