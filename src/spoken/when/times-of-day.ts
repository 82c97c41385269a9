/** Times of day as callers say them: "half past nine", "after two", "between ten and noon", "late afternoon". */
import { either, literal, number, one, phrase, type Reader } from './phrase.ts'
import type { Token } from './tokens.ts'

export const MINUTES_OF_DAY = 1440
export const NOON = 720

/** All readings of a time, in minutes since midnight: "seven" is 7:00 and 19:00. */
type Clock = readonly number[]

/** One reading of a time of day; `from` to `until` (exclusive) in minutes since midnight. */
export interface TimeReading {
  readonly from: number
  readonly until: number
  /** The stated times, in minutes since midnight, for a question to the caller. */
  readonly said: readonly number[]
  /** Hours to compare with the opening hours: the reading is likely if the clinic is open in them. */
  readonly probe: Hours
}

export type TimeOfDay = ClockTime | PartOfDay

/** A part of the day beside a moment selects one of its readings, without changing it. */
interface ClockTime {
  readonly kind: 'moment' | 'period'
  readonly readings: readonly TimeReading[]
}

interface PartOfDay {
  readonly kind: 'part'
  readonly from: number
  readonly until: number
  readonly hours: Hours
}

/** The hours of times stated with a part of the day: "six in the afternoon" is 18:00. */
export type Hours = readonly [from: number, until: number]

const hour = (value: number): number => value * 60

const MORNING: Hours = [0, NOON]
const AFTERNOON: Hours = [NOON, hour(19)]
const EVENING: Hours = [hour(16), MINUTES_OF_DAY]
const NIGHT: Hours = [hour(18), MINUTES_OF_DAY]
const PM: Hours = [NOON, MINUTES_OF_DAY]

const hour12 = number(1, 12)
const fewMinutes = one((token) => (token.kind === 'number' && [5, 10].includes(token.value) ? token.value : undefined))
const moreMinutes = one((token) =>
  token.kind === 'number' && [20, 25].includes(token.value) ? token.value : undefined,
)
const minutes = either(fewMinutes, moreMinutes)

/** A 12-hour time, unless the hour is 0 or above 12, or has a leading zero. */
function clockOf(hours: number, minute: number, led = false): Clock | undefined {
  if (hours > 23 || minute > 59) return undefined
  return led || hours === 0 || hours > 12 ? [hours * 60 + minute] : twice((hours % 12) * 60 + minute)
}

const twice = (minute: number): Clock => {
  const morning = (minute + NOON) % NOON
  return [morning, morning + NOON]
}

const written = one((token: Token) =>
  token.kind === 'clock' ? clockOf(token.hour, token.minute, token.led) : undefined,
)
const minuteAfterHour = one((token) =>
  token.kind === 'number' && token.value < 60 && (token.value > 12 || token.led) ? token.value : undefined,
)
/** "ten eleven" is 10:11 only after an "at"; elsewhere it may be two hours. */
const tenToTwelve = phrase`${number(0, 23)} ${number(10, 12)}`((h, m) => clockOf(h, m))
/** 930, 1430: only where nothing but a time is possible. */
const solid = one((token) =>
  token.kind === 'number' && token.value >= 100 ? clockOf(Math.floor(token.value / 100), token.value % 100) : undefined,
)
const bareHour = one((token) => (token.kind === 'number' ? clockOf(token.value, 0, token.led) : undefined))

/** More than a bare hour, and thus a time even without an "at". */
const fullClock: Reader<Clock> = either(
  written,
  phrase`${number(0, 23)} oclock`((h) => clockOf(h, 0)),
  phrase`${number(0, 23)} ${minuteAfterHour}`((h, m) => clockOf(h, m)),
  phrase`half past|after ${hour12}`((h) => clockOf(h, 30)),
  phrase`[a] quarter past|after ${hour12}`((h) => clockOf(h, 15)),
  phrase`[a] quarter to|till|before ${hour12}`((h) => twice(h * 60 - 15)),
  phrase`${minutes} [minutes] past|after ${hour12}`((m, h) => clockOf(h, m)),
  phrase`${moreMinutes} [minutes] to|till|before ${hour12}`((m, h) => twice(h * 60 - m)),
  phrase`${fewMinutes} minutes to|till|before ${hour12}`((m, h) => twice(h * 60 - m)),
  // In Britain half past nine, elsewhere half past eight.
  phrase`half ${hour12}`((h) => [...twice(h * 60 - 30), ...twice(h * 60 + 30)]),
  phrase`[12|twelve] noon|midday`(() => [NOON]),
  phrase`${number(0, 23)} ${one((t) => (t.kind === 'number' && t.value === 0 ? 0 : undefined))} hours`((h) => [h * 60]),
  phrase`${number(1, 23)} hundred hours|hrs`((h) => [h * 60]),
  phrase`${number(13, 23)} hundred`((h) => [h * 60]),
  phrase`${solid} hours|hrs`(([minute]) => (minute === undefined ? undefined : [minute])),
)

/** "ten to two" without an "at" may also be a range. */
const fewTo: Reader<Clock> = phrase`${fewMinutes} to|till ${hour12}`((m, h) => twice(h * 60 - m))

const anyClock = either(fullClock, bareHour)

function within(clock: Clock, [from, until]: Hours): Clock | undefined {
  const left = clock.filter((minute) => minute >= from && minute < until)
  return left.length === 0 ? undefined : left
}

const withHours = (clock: Reader<Clock>): Reader<Clock> =>
  either(
    phrase`${clock} am`((time) => within(time, MORNING)),
    phrase`${clock} pm`((time) => within(time, PM)),
    phrase`${clock} in morning`((time) => within(time, MORNING)),
    phrase`${clock} in afternoon`((time) => within(time, AFTERNOON)),
    phrase`${clock} in evening`((time) => within(time, EVENING)),
    phrase`${clock} at night`((time) => within(time, NIGHT)),
  )

/** A time without introduction, which has more than a bare hour. */
const plainClock = either(fullClock, withHours(either(fullClock, tenToTwelve, bareHour, solid)))
/** A time after a word that only a time can follow. */
const clock = either(plainClock, tenToTwelve, bareHour, solid, fewTo, withHours(fewTo))
const firstOfTwo = either(anyClock, withHours(anyClock))
const midnight: Reader<Clock> = phrase`midnight`(() => [MINUTES_OF_DAY])
const latest = either(clock, midnight)

const moment = (time: Clock): ClockTime => ({
  kind: 'moment',
  readings: time.map((from) => ({ from, until: from + 1, said: [from], probe: [from, from + 1] })),
})
const period = (readings: readonly TimeReading[]): ClockTime => ({ kind: 'period', readings })
const after = (time: Clock) =>
  period(time.map((from) => ({ from, until: MINUTES_OF_DAY, said: [from], probe: [from, from + 1] })))
const before = (time: Clock) =>
  period(time.map((until) => ({ from: 0, until, said: [until], probe: [until - 1, until] })))
const around = (time: Clock) =>
  period(
    time.map((said) => ({
      from: Math.max(0, said - 30),
      until: Math.min(said + 31, MINUTES_OF_DAY),
      said: [said],
      probe: [said, said + 1],
    })),
  )

/** Groups of readings that differ only in morning or evening: two for "half seven". */
const wordings = (clock: Clock): readonly Clock[] => [...Map.groupBy(clock, (minute) => minute % NOON).values()]

/**
 * In each wording, the second time is its first reading after the first time, and the first time its last one before
 * the second.
 */
function between(first: Clock, second: Clock): readonly ClockTime[] | undefined {
  const pairs = wordings(first).flatMap((starts) => wordings(second).flatMap((ends) => nearestPairs(starts, ends)))
  return pairs.length === 0 ? undefined : [period(pairs)]
}

const nearestPairs = (starts: Clock, ends: Clock): readonly TimeReading[] =>
  starts.flatMap((from): readonly TimeReading[] => {
    const until = Math.min(...ends.filter((minute) => minute > from))
    const nearest = Math.max(...starts.filter((minute) => minute < until))
    return Number.isFinite(until) && nearest === from
      ? [{ from, until, said: [from, until], probe: [from, until] }]
      : []
  })

/** "ten to two" without an "at": a time, or two hours. */
function fewToOrBetween(minute: number, time: Clock): readonly TimeOfDay[] {
  const times = after(time.map((to) => (to - minute + MINUTES_OF_DAY) % MINUTES_OF_DAY)).readings.map((one) => ({
    ...one,
    until: one.from + 1,
  }))
  return [period([...times, ...(between(twice(minute * 60), time) ?? []).flatMap(({ readings }) => readings)])]
}

const part = (hours: Hours, from: number, until: number): TimeOfDay => ({ kind: 'part', from, until, hours })

const PARTS: readonly (readonly [words: string, TimeOfDay])[] = [
  ['[in] morning|mornings|forenoon', part(MORNING, 0, NOON)],
  ['first thing', part(MORNING, 0, NOON)],
  ['first thing [in] morning', part(MORNING, 0, NOON)],
  ['[in] early|earlier morning|mornings', part(MORNING, 0, hour(10))],
  ['early in morning', part(MORNING, 0, hour(10))],
  ['[in] mid morning', part(MORNING, hour(9), hour(11))],
  ['[in] midmorning', part(MORNING, hour(9), hour(11))],
  ['[in] late morning|mornings', part(MORNING, hour(10), NOON)],
  ['late in morning', part(MORNING, hour(10), NOON)],
  ['[at|around|over|during] lunchtime|lunch', part([hour(11), hour(15)], hour(11) + 30, hour(14))],
  ['[at|around|over|during] lunch time|hour|break', part([hour(11), hour(15)], hour(11) + 30, hour(14))],
  ['[in] afternoon|afternoons', part(AFTERNOON, NOON, hour(18))],
  ['[in] early afternoon|afternoons', part(AFTERNOON, NOON, hour(15))],
  ['early in afternoon', part(AFTERNOON, NOON, hour(15))],
  ['[in] mid afternoon', part(AFTERNOON, hour(14), hour(16))],
  ['[in] late afternoon|afternoons', part(AFTERNOON, hour(15), hour(18))],
  ['late in afternoon', part(AFTERNOON, hour(15), hour(18))],
  ['[in] evening|evenings', part(EVENING, hour(17), MINUTES_OF_DAY)],
  ['[in] early evening|evenings', part(EVENING, hour(17), hour(19))],
  ['[in] late evening|evenings', part(EVENING, hour(19), MINUTES_OF_DAY)],
  ['after work', part(EVENING, hour(17), MINUTES_OF_DAY)],
  ['[at] night', part(NIGHT, hour(18), MINUTES_OF_DAY)],
  ['not in morning|mornings', part(PM, NOON, MINUTES_OF_DAY)],
  ['not in afternoon|afternoons', part(MORNING, 0, NOON)],
  ['not in evening|evenings', part([0, hour(17)], 0, hour(17))],
]

/** One time of day, or several as in "at two or three". */
export const timesOfDay: Reader<readonly TimeOfDay[]> = either(
  phrase`${fewMinutes} to|till ${either(bareHour, withHours(bareHour))}`(fewToOrBetween),
  phrase`[any] [time] between ${firstOfTwo} and|to|till|until ${latest}`(between),
  phrase`[any] [time] from ${firstOfTwo} to|till|until|through ${latest}`(between),
  phrase`${firstOfTwo} to|till|until|through ${withHours(anyClock)}`(between),
  phrase`${fullClock} to|till|until|through ${latest}`(between),
  phrase`at ${clock}`((time) => [moment(time)]),
  phrase`[at] ${plainClock}`((time) => [moment(time)]),
  phrase`at ${clock} or ${clock}`((one, two) => [moment(one), moment(two)]),
  phrase`[at] around|about|roughly|approximately|near ${clock} [ish]`((time) => [around(time)]),
  phrase`[at] ${clock} ish`((time) => [around(time)]),
  phrase`[any] [time] after|from|past|starting [at] ${clock} [on|onward|onwards]`((time) => [after(time)]),
  phrase`later than ${clock}`((time) => [after(time)]),
  phrase`earlier|sooner than ${latest}`((time) => [before(time)]),
  phrase`not|no before|earlier|sooner [than] ${clock}`((time) => [after(time)]),
  phrase`[at] ${clock} or|and later|after|onward|onwards`((time) => [after(time)]),
  phrase`[at] ${clock} at earliest`((time) => [after(time)]),
  phrase`[any] [time] before|until|till|by ${latest}`((time) => [before(time)]),
  phrase`not|no after|later [than] ${latest}`((time) => [before(time)]),
  phrase`[at] ${clock} or|and earlier|before|sooner`((time) => [before(time)]),
  phrase`[at] ${clock} at latest`((time) => [before(time)]),
  ...PARTS.map(([words, time]) => literal(words)(() => [time])),
)
