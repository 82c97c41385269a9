/**
 * Words for the caller: lists, times and opening hours ("Tuesday, November 24th, at 2:30 in the afternoon"), and the values
 * to read back.
 */
import { DateTime, Info } from 'luxon'
import type { CallSession } from '../core/call-session.ts'
import { DAYS_OF_WEEK, type DayHours, type DayOfWeek } from '../scheduling/availability.ts'
import type { OpeningWeek } from '../scheduling/opening-hours.ts'
import type { StatedField } from './stated-values.ts'
import { instantsAt } from './when/window.ts'

const FIELD_NAMES: Readonly<Record<StatedField, string>> = {
  firstName: 'first name',
  lastName: 'last name',
  dateOfBirth: 'date of birth',
  phone: 'phone number',
  email: 'email address',
  address: 'address',
  preferredLocation: 'preferred location',
  medicareStatus: 'Medicare status',
  healthPlanName: 'health plan',
  referralSource: 'referral source',
  reasonForVisit: 'reason for the visit',
  commsConsent: 'consent to be contacted',
}

export const spokenName = (field: StatedField): string => FIELD_NAMES[field]

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

/** `a, b, and c` */
export const listed = (items: readonly string[]): string => LIST.format(items)

/**
 * A moment in full, which `spokenTimes` parses as the same moment. The year is included if it differs from that of
 * `now`.
 * @param time in the clinic's zone
 * @param now in the clinic's zone
 */
export function sayTime(time: DateTime, now: Pick<DateTime, 'year'>): string {
  const year = time.year === now.year ? '' : `, ${time.year}`
  return `${sayDay(time)}${year}, at ${sayClock(time.hour * 60 + time.minute)}${turnOf(time)}`
}

/** "Tuesday, November 24th" */
export const sayDay = (day: DateTime): string =>
  `${day.setLocale('en').toFormat('cccc, LLLL')} ${day.day}${SUFFIXES[ORDINAL.select(day.day)] ?? 'th'}`

/** "March 3rd, 1980", which `spokenDate` parses as the same date. @param date YYYY-MM-DD */
export function sayDate(date: string): string {
  const day = DateTime.fromISO(date, { zone: 'utc' })
  return `${sayDay(day).replace(/^\w+, /, '')}, ${day.year}`
}

const ORDINAL = new Intl.PluralRules('en', { type: 'ordinal' })
const SUFFIXES: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' }

/** Parts of the day by their end, in minutes since midnight; the night counts as the evening of the same day. */
const PARTS: readonly (readonly [until: number, name: string])[] = [
  [12 * 60, 'in the morning'],
  [17 * 60, 'in the afternoon'],
  [24 * 60, 'in the evening'],
]

/** @param minute of the day */
export function sayClock(minute: number): string {
  if (minute === 12 * 60) return 'noon'
  if (minute === 24 * 60) return 'midnight'
  const hour = Math.floor(minute / 60) % 12 || 12
  const past = minute % 60 === 0 ? '' : `:${String(minute % 60).padStart(2, '0')}`
  return `${hour}${past} ${PARTS.find(([until]) => minute < until)?.[1]}`
}

const DAY = 86_400_000

/** When clocks are set back, some times occur twice; these get a distinguishing phrase. */
function turnOf(time: DateTime): string {
  const [before, after] = [time.toMillis() - DAY, time.toMillis() + DAY]
  if (time.zone.offset(before) === time.zone.offset(after)) return ''
  const [first, second] = instantsAt(time.startOf('day'), time.hour * 60 + time.minute)
  if (first === undefined || second === undefined) return ''
  return time < second ? ', before the clocks go back' : ', after the clocks go back'
}

/**
 * Opening hours in words, "Monday to Friday from 8:30 in the morning to 5 in the afternoon"; '' if no day is open. Days with the
 * same hours are combined.
 */
export function sayHours(week: OpeningWeek): string {
  const byHours = Map.groupBy(week, ([, hours]) => JSON.stringify(hours))
  const parts = Array.from(byHours.values(), (days) => {
    const hours = days[0]?.[1] ?? []
    return `${sayDays(days.map(([day]) => day))} ${listed(hours.map(sayFromTo))}`
  })
  return parts.join('; ')
}

const DAY_NAMES = Info.weekdays('long', { locale: 'en' })

/** @param days in the order of the week */
function sayDays(days: readonly DayOfWeek[]): string {
  if (days.length === DAYS_OF_WEEK.length) return 'every day'
  const runs: DayOfWeek[][] = []
  for (const day of days) {
    const run = runs.at(-1)
    const before = DAYS_OF_WEEK[DAYS_OF_WEEK.indexOf(day) - 1]
    if (run !== undefined && run.at(-1) === before) run.push(day)
    else runs.push([day])
  }
  return listed(
    runs.flatMap((run) => {
      const names = run.map((day) => DAY_NAMES[DAYS_OF_WEEK.indexOf(day)] ?? '')
      return names.length > 2 ? [`${names[0]} to ${names.at(-1)}`] : names
    }),
  )
}

/** Minutes. */
const MINUTES_OF_DAY = 24 * 60

const sayFromTo = ({ from, until }: DayHours): string =>
  until - from >= MINUTES_OF_DAY
    ? 'around the clock'
    : `from ${sayClock(from)} to ${sayClock(until > MINUTES_OF_DAY ? until - MINUTES_OF_DAY : until)}`

interface ReadBack {
  /** In FHIR, one parameter with two parts for each value. */
  readonly values?: object
  /** The date of birth in words, as only these reveal in which order day and month were read. */
  readonly inWords?: string
}

/**
 * Members of the result; empty if there is nothing to read back.
 * @param values by argument name; values without a normal form of their own are omitted
 * @param dateOfBirth the one among them, YYYY-MM-DD
 */
export function readBack(
  call: CallSession | undefined,
  values: Readonly<Record<string, string | number | boolean | undefined>>,
  dateOfBirth?: string,
): ReadBack {
  const understood = Object.entries(values).filter(([, value]) => value !== undefined)
  if (understood.length === 0) return {}
  return {
    values:
      call === undefined
        ? understood.map(([name, value]) => ({ name, value: String(value) }))
        : Object.fromEntries(understood),
    ...(dateOfBirth === undefined ? {} : { inWords: sayDate(dateOfBirth) }),
  }
}
