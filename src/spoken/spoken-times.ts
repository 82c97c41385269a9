/**
 * Requested times as callers say them ("next Tuesday after two", "any afternoon next week"), as windows in which to
 * search for free slots, by the clinic's zone and opening hours. Every reading of the words is tried; if more than one
 * remains, the result is a question.
 */
import { DateTime, Interval } from 'luxon'
import { sayClock, sayDay } from './say.ts'
import { asRfc2822, plain } from './spoken.ts'
import {
  type Calendar,
  type DaySpec,
  type Days,
  oneDay,
  readingsOf,
  WEEKDAYS,
  type Weekday,
  weekendDays,
} from './when/calendar.ts'
import { type Alternative, type DaysOfWeek, type Instant, type Sentence, sentenceOf } from './when/sentence.ts'
import { MINUTES_OF_DAY, NOON, type TimeOfDay, type TimeReading } from './when/times-of-day.ts'
import { tokensOf } from './when/tokens.ts'
import {
  endAt,
  instantsAt,
  type OpeningTime,
  type SpokenTimes,
  startAt,
  type TimesLocale,
  type TimeWindow,
} from './when/window.ts'

/** Nobody books later, so a later year is a slip. */
const MAX_YEARS = 2

const NO_SUCH_DATE = problem('That is not a date of the calendar; say the day again, for example "March 3rd"')
const CONTRADICTION = problem(
  'Those days and times do not go together; say one day and one time, for example "Monday at two"',
)
/** Given with today's date: see `passed`. */
const PAST = problem('That time has passed')
const TOO_FAR = problem(`That is more than ${MAX_YEARS} years ahead; say an earlier time, for example "next week"`)

/** The windows of all alternatives. The first uncertain one decides, and those in the past are omitted. */
function resolve(sentence: Sentence, locale: TimesLocale): SpokenTimes {
  const calendar = { today: locale.now.startOf('day'), region: locale.region }
  const excluded = new Set(sentence.except.flatMap((days) => weekdaysOf(days, calendar)))
  const outcomes = sentence.alternatives.map((one) => resolveOne(one, excluded, { ...locale, ...calendar }))
  const unclear = outcomes.find((outcome) => outcome.kind !== 'windows' && outcome !== PAST)
  if (unclear !== undefined) return unclear
  const windows = outcomes.flatMap((outcome) => (outcome.kind === 'windows' ? outcome.windows : []))
  const distinct = new Map(windows.map((window) => [JSON.stringify(window), window]))
  return windows.length === 0 ? PAST : { kind: 'windows', windows: [...distinct.values()] }
}

function problem(error: string): SpokenTimes {
  return { kind: 'error', error }
}

interface Context extends TimesLocale, Calendar {}

/** Days, with the permitted weekdays among them; seven mean all. */
interface Range extends Days {
  readonly weekdays: readonly Weekday[]
}

/** One reading of an alternative. */
interface Candidate {
  readonly range: Range
  readonly time: TimeReading
  readonly windows: readonly TimeWindow[]
  readonly skipped: boolean
}

function resolveOne(one: Alternative, excluded: ReadonlySet<Weekday>, context: Context): SpokenTimes {
  const [instant, ...more] = one.instants
  if (instant !== undefined) {
    const alone = one.days.length + one.times.length + one.daysOfWeek.length + more.length === 0
    return alone ? resolveInstant(instant, context) : CONTRADICTION
  }
  const ranges = rangesOf(one.days, context)
  if (!Array.isArray(ranges)) return ranges
  const allowed = one.daysOfWeek.map((days) => weekdaysOf(days, context))
  const restricted = ranges.flatMap((range) =>
    restrict(range, (day) => !excluded.has(day) && allowed.every((days) => days.includes(day))),
  )
  const times = timeReadings(one.times)
  if (restricted.length === 0 || times.length === 0) return CONTRADICTION
  const isMoment = one.times.some(({ kind }) => kind === 'moment')
  if (one.turn !== undefined && !isMoment) return CONTRADICTION
  return decide(
    restricted.flatMap((range) =>
      likely(times, range, context).map((time) =>
        candidate(range, time, isMoment ? (one.turn ?? 'both') : 'period', context),
      ),
    ),
    context,
  )
}

function resolveInstant(instant: Instant, { now }: Context): SpokenTimes {
  const start =
    'iso' in instant ? DateTime.fromISO(instant.iso, { zone: now.zone }) : now.plus({ minutes: instant.minutes })
  if (!start.isValid) return NO_SUCH_DATE
  if (start < now) return PAST
  if (start > now.plus({ years: MAX_YEARS })) return TOO_FAR
  return { kind: 'windows', windows: [{ start, end: start.plus({ minutes: 1 }) }] }
}

function weekdaysOf(days: DaysOfWeek, { region }: Calendar): readonly Weekday[] {
  const weekend = weekendDays(region)
  switch (days) {
    case 'weekend':
      return weekend
    case 'working-days':
      return WEEKDAYS.filter((day) => !weekend.includes(day))
    default:
      return days
  }
}

/** All readings of the combined days, or the problem with them. */
function rangesOf(days: readonly DaySpec[], context: Context): Range[] | SpokenTimes {
  const weekday = days.find((spec) => spec.kind === 'weekday')
  const others = days.filter((spec) => spec.kind !== 'weekday')
  // "a week from Friday the 13th" is that day, or a week later.
  if (weekday !== undefined && weekday.weeks > 0 && others.length > 0) return CONTRADICTION
  const isFree = weekday?.which === 'bare' && others.length > 0
  let ranges: readonly Days[] = [{ from: context.today }]
  for (const spec of isFree ? others : days) {
    const readings = readingsOf(spec, context).map((range) => (isNamedBesides(spec, others) ? certain(range) : range))
    if (readings.length === 0) return NO_SUCH_DATE
    ranges = ranges.flatMap((range) => readings.flatMap((days) => intersection(range, days, context)))
  }
  if (ranges.length === 0) return days.every((spec) => isPast(spec, context)) ? PAST : CONTRADICTION
  const all = ranges.map((range) => ({ ...range, weekdays: weekdaysIn(range) }))
  if (weekday === undefined || !isFree) return all
  const on = all.flatMap((range) => restrict(range, (day) => day === weekday.weekday))
  return on.length > 0 ? on : otherWeekday(all)
}

/** "this Tuesday, the 10th": the date determines the day. */
const isNamedBesides = ({ kind }: DaySpec, others: readonly DaySpec[]): boolean =>
  kind === 'weekday' && others.length > 0

const certain = ({ doubtful: _, ...days }: Days): Days => days

const isPast = (spec: DaySpec, context: Context): boolean =>
  readingsOf(spec, context).every(({ until }) => until !== undefined && until <= context.today)

/** The first range begins today, so that nothing in the past remains. */
function intersection(a: Days, b: Days, { today }: Context): readonly Days[] {
  const from = a.from > b.from ? a.from : b.from
  const until = a.until === undefined || (b.until !== undefined && b.until < a.until) ? b.until : a.until
  if (until !== undefined && until <= from) return []
  const doubtful = a.doubtful ?? b.doubtful
  return [{ from: from > today ? from : today, ...(until && { until }), ...(doubtful && { doubtful }) }]
}

const isSingle = ({ from, until }: Days): boolean => until !== undefined && +until === +from.plus({ days: 1 })

/** The first days of a range, at most eight. */
function firstDays({ from, until }: Days): readonly DateTime[] {
  const days: DateTime[] = []
  for (let day = from; days.length < 8 && (until === undefined || day < until); day = day.plus({ days: 1 })) {
    days.push(day)
  }
  return days
}

function weekdaysIn(days: Days): readonly Weekday[] {
  const present = new Set<number>(firstDays(days).map((day) => day.weekday))
  return WEEKDAYS.filter((day) => present.has(day))
}

/** If one day remains in a range of at most a week, the range becomes that day. */
function restrict(range: Range, keep: (day: Weekday) => boolean): readonly Range[] {
  const weekdays = range.weekdays.filter(keep)
  if (weekdays.length === 0) return []
  const [only] = weekdays
  const inWeek = range.until !== undefined && firstDays(range).length <= 7
  if (weekdays.length > 1 || !inWeek) return [{ ...range, weekdays }]
  return firstDays(range)
    .filter((day) => day.weekday === only)
    .map((day) => ({ ...oneDay(day), ...(range.doubtful && { doubtful: range.doubtful }), weekdays }))
}

function otherWeekday(ranges: readonly Days[]): SpokenTimes {
  const [range] = ranges
  if (range === undefined || !isSingle(range)) return CONTRADICTION
  return {
    kind: 'question',
    question: `That date is a ${range.from.setLocale('en').toFormat('cccc')}, ${sayDate(range.from)}. Which day do you mean?`,
  }
}

const sayDate = (day: DateTime): string => sayDay(day).replace(/^\w+, /, '')

/** All readings of the combined times, within the stated parts of the day. */
function timeReadings(times: readonly TimeOfDay[]): readonly TimeReading[] {
  const parts = times.filter((time) => time.kind === 'part')
  const from = Math.max(0, ...parts.map((part) => part.from))
  const until = Math.min(MINUTES_OF_DAY, ...parts.map((part) => part.until))
  let readings: readonly TimeReading[] = [{ from, until, said: [], probe: [from, until] }]
  for (const time of times) {
    if (time.kind === 'part') continue
    const fitting = time.readings.filter(({ said }) =>
      parts.every(({ hours }) => said.some((minute) => minute >= hours[0] && minute <= hours[1])),
    )
    readings = fitting.flatMap((reading) => readings.map((other) => together(reading, other, time.kind === 'moment')))
  }
  const possible = readings.filter((reading) => reading.from < reading.until)
  return times.length - parts.length > 1 ? tightest(possible) : possible
}

/** "after two, before four": two hours, not fourteen. */
const tightest = (readings: readonly TimeReading[]): readonly TimeReading[] =>
  readings.filter((one) => !readings.some((other) => isTighter(other, one)))

const isTighter = (one: TimeReading, other: TimeReading): boolean =>
  one.from >= other.from && one.until <= other.until && one.until - one.from < other.until - other.from

/** A moment keeps its time: 18:00 counts as "the afternoon" if the caller says so. */
function together(reading: TimeReading, other: TimeReading, isMoment: boolean): TimeReading {
  const said = [...other.said, ...reading.said]
  if (isMoment && other.said.length === 0) return { ...reading, said }
  const from = Math.max(reading.from, other.from)
  const until = Math.min(reading.until, other.until)
  return { from, until, said, probe: other.said.length === 0 ? reading.probe : [from, until] }
}

/**
 * Opening hours decide only between morning and evening: "half six" is half past five or half past six even if the
 * clinic is closed at one of them.
 */
function likely(times: readonly TimeReading[], range: Range, context: Context): readonly TimeReading[] {
  const open = withoutClosedHours(times, context)
  const wordings = Map.groupBy(open, ({ said }) => said.map((minute) => minute % NOON).join())
  return [...wordings.values()].flatMap((wording) => inOpeningHours(wording, range, context))
}

/** "five to nine" is a time; it is two hours only where the clinic is open at both. */
function withoutClosedHours(times: readonly TimeReading[], { openingTimes }: Context): readonly TimeReading[] {
  if (openingTimes.length === 0 || !times.some(({ said }) => said.length === 1)) return times
  const isOpen = (minute: number) => openingTimes.some(({ from, until }) => from <= minute && minute <= until)
  return times.filter(({ said }) => said.length === 1 || said.every(isOpen))
}

/** The readings within opening hours: of these days, else of any; if there is none, all of them. */
function inOpeningHours(
  times: readonly TimeReading[],
  { weekdays }: Range,
  { openingTimes }: Context,
): readonly TimeReading[] {
  if (times.length === 1) return times
  const onDays = times.filter((time) =>
    openingTimes.some((open) => weekdays.includes(open.weekday) && overlaps(open, time)),
  )
  if (onDays.length > 0) return onDays
  const ever = times.filter((time) => openingTimes.some((open) => overlaps(open, time)))
  return ever.length > 0 ? ever : times
}

const overlaps = (open: OpeningTime, { probe }: TimeReading): boolean => probe[0] < open.until && open.from < probe[1]

type Precision = 'period' | 'both' | 'before' | 'after'

function candidate(range: Range, time: TimeReading, precision: Precision, { now }: Context): Candidate {
  const windows = isSingle(range) ? onOneDay(range.from, time, precision) : [onSeveralDays(range, time)]
  const isToCome = (window: TimeWindow) => (window.end === undefined || window.end > now) && isPossible(window)
  const clipped = windows.map((window) => (window.start < now ? { ...window, start: now } : window)).filter(isToCome)
  return {
    range,
    time,
    windows: clipped,
    skipped: windows.every(({ start, end }) => end !== undefined && end <= start),
  }
}

function onOneDay(day: DateTime, { from, until }: TimeReading, precision: Precision): readonly TimeWindow[] {
  const timeOfDay = from === 0 && until === MINUTES_OF_DAY ? {} : { timeOfDay: { from, until } }
  if (precision === 'period') return [{ start: startAt(day, from), end: endAt(day, until), ...timeOfDay }]
  const instants = instantsAt(day, from)
  const wanted = precision === 'both' ? instants : instants.length < 2 ? [] : instants.slice(...TURNS[precision])
  return wanted.map((start) => ({ start, end: start.plus({ minutes: 1 }), ...timeOfDay }))
}

const TURNS: Readonly<Record<'before' | 'after', readonly [number, number]>> = { before: [0, 1], after: [1, 2] }

const onSeveralDays = (range: Range, { from, until }: TimeReading): TimeWindow => ({
  start: range.from,
  ...(range.until && { end: range.until }),
  ...(range.weekdays.length < weekdaysIn(range).length && { weekdays: range.weekdays }),
  ...((from > 0 || until < MINUTES_OF_DAY) && { timeOfDay: { from, until } }),
})

/** Whether it contains a moment. */
function isPossible({ start, end, weekdays, timeOfDay }: TimeWindow): boolean {
  if (weekdays === undefined && timeOfDay === undefined) return true
  const days = firstDays({ from: start.startOf('day'), ...(end && { until: end }) })
  return days.some((day) => {
    if (weekdays !== undefined && !weekdays.some((weekday) => weekday === day.weekday)) return false
    const last = endAt(day, timeOfDay?.until ?? MINUTES_OF_DAY)
    return last > start && (end === undefined || startAt(day, timeOfDay?.from ?? 0) < end)
  })
}

/** A single reading is the result; several give a question, about the day first. */
function decide(candidates: readonly Candidate[], context: Context): SpokenTimes {
  const left = candidates.filter(({ windows }) => windows.length > 0)
  const [first] = left
  if (first === undefined) return skippedTime(candidates)
  if (left.every(({ range }) => range.from > context.now.plus({ years: MAX_YEARS }))) return TOO_FAR
  const days = [...new Set(left.map(({ range }) => sayRange(range, context)))]
  if (days.length > 1 || first.range.doubtful) return question(days)
  const times = [...new Set(left.map(({ time }) => sayReading(time)))]
  return times.length > 1 ? question(times) : { kind: 'windows', windows: first.windows }
}

const question = (choices: readonly string[]): SpokenTimes => ({
  kind: 'question',
  question: `Do you mean ${choices.join(', or ')}?`,
})

/** The problem of a time skipped when clocks are set forward. */
function skippedTime(candidates: readonly Candidate[]): SpokenTimes {
  const skipped = candidates.find((one) => one.skipped)
  if (skipped === undefined) return PAST
  const { range, time } = skipped
  const next = startAt(range.from, time.from)
  if (next.hour * 60 + next.minute === time.from) return CONTRADICTION
  return problem(
    `There is no ${sayClock(time.from)} on ${sayDay(range.from)}, as the clocks change; the next time is ${sayClock(next.hour * 60 + next.minute)}`,
  )
}

function sayRange(range: Range, { today }: Context): string {
  const day = (date: DateTime) => (date.year === today.year ? sayDay(date) : `${sayDay(date)}, ${date.year}`)
  if (isSingle(range)) return `${+range.from === +today ? 'today, ' : ''}${day(range.from)}`
  if (range.until === undefined) return `from ${day(range.from)} on`
  return `from ${day(range.from)} to ${day(range.until.minus({ days: 1 }))}`
}

const sayReading = ({ said }: TimeReading): string => {
  const [from = 0, until] = said
  return until === undefined ? sayClock(from) : `from ${sayClock(from)} to ${sayClock(until)}`
}

/** Most characters; nobody says more about a time. */
const MAX_LENGTH = 300
const MAX_WORDS = 60

const EXAMPLE = 'for example "next Tuesday after two" or "tomorrow morning"'

export function spokenTimes(text: string, locale: TimesLocale): SpokenTimes {
  if (text.length > MAX_LENGTH || plain(text).length > MAX_LENGTH) return tooMuch
  const interval = isoInterval(text.trim(), locale)
  if (interval !== undefined) return interval === PAST ? passed(locale.now) : interval
  const tokens = tokensOf(withoutOwnZone(withIsoTime(text), locale.now))
  if (tokens.length > MAX_WORDS) return tooMuch
  const sentence = sentenceOf(tokens)
  if (sentence === 'nothing') return error(`No day or time was given; give one, ${EXAMPLE}`)
  if (sentence === 'two-times')
    return error(`Two times of day were given; give one of them, or both with "or" between, ${EXAMPLE}`)
  if (sentence === 'unclear')
    return error(`The time was not understood; give nothing but the day and the time, ${EXAMPLE}`)
  const times = resolve(sentence, locale)
  return times === PAST ? passed(locale.now) : times
}

/** An interval of ISO 8601 with a time or a duration; one of two dates has both days in it, and is read as a sentence. */
function isoInterval(text: string, { now }: TimesLocale): SpokenTimes | undefined {
  if (!/^\d{4}-\d\d-\d\d\S*\/[P\d]\S+$/.test(text) || /^[\d-]+\/[\d-]+$/.test(text)) return undefined
  const { start, end } = Interval.fromISO(text, { zone: now.zone })
  if (start === null || end === null) return NO_SUCH_DATE
  if (end <= now) return PAST
  if (start > now.plus({ years: MAX_YEARS })) return TOO_FAR
  return { kind: 'windows', windows: [{ start: start < now ? now : start, end }] }
}

/** A date and time of RFC 2822 ("Tue, 01 Dec 2026 09:00:00 GMT") in the form of ISO 8601. */
const withIsoTime = (text: string): string =>
  asRfc2822(text).replace(
    RFC_2822,
    (date) => DateTime.fromRFC2822(date).toUTC().toISO({ suppressMilliseconds: true }) ?? date,
  )

const RFC_2822 = /\b(?:[a-z]{3}, )?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UT|[A-Z]{3}|[+-]\d{4})(?!\w)/i

const passed = (now: DateTime): SpokenTimes =>
  error(
    `That time has passed, as today is ${sayDay(now)}, ${now.year}; say one that is to come, for example "tomorrow morning"`,
  )

/** Time zones of North America: "3 pm Eastern time", "2:30 PST". */
const ZONE = /\b(?:(?:eastern|central|mountain|pacific)(?: (?:standard|daylight))?(?: time)?|[ecmp][sd]?t)\b/gi

/** The first letter of such a zone, if it is the clinic's; Central European Time is none of them. */
const zoneLetter = (now: DateTime): string | undefined =>
  /^([ECMP])\w+ (?:Standard|Daylight) Time$/.exec(now.setLocale('en-US').offsetNameLong ?? '')?.[1]

/** A time in the clinic's own zone needs no name of it; another zone is not understood. */
const withoutOwnZone = (text: string, now: DateTime): string =>
  text.replace(ZONE, (zone: string) => (zone.charAt(0).toUpperCase() === zoneLetter(now) ? '' : zone))

const error = (message: string): SpokenTimes => ({ kind: 'error', error: message })

const tooMuch = error(`That is too long for a time; give nothing but the day and the time, ${EXAMPLE}`)
