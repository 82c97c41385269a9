/**
 * Days and times that are written relative to the clinic's day, such as `next-workday T09:00` and `today-40y`. The grammar is
 * in docs/scenarios.md.
 */
import { DateTime } from 'luxon'
import { unprocessable } from '../../fhir/outcome.ts'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { isWorkingDay } from './working-days.ts'

/** The clinic that a scenario is loaded into, and the time by its clock. */
export interface ClinicDay {
  /** The id of the clinic, and of its Organization. */
  readonly clinic: string
  readonly clinicName: string
  /** IANA name. */
  readonly timeZone: string
  /** Milliseconds since 1970 UTC. */
  readonly now: number
}

const DAY = 86_400_000
const MINUTE = 60_000

/** After this hour `workday` is the next one. */
const CLOSING_HOUR = 17

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

type Anchor = (today: DateTime, day: ClinicDay) => DateTime

const ANCHORS: Readonly<Record<string, Anchor>> = {
  today: (today) => today,
  workday: (today, { now, timeZone }) => {
    const isClosed = DateTime.fromMillis(now, { zone: timeZone }).hour >= CLOSING_HOUR
    return workingDays(isClosed ? today : today.minus({ days: 1 }), 1)
  },
  'next-workday': (today) => workingDays(today, 1),
  ...Object.fromEntries(
    WEEKDAYS.map((name, index): [string, Anchor] => [
      `next-${name}`,
      (today) => today.plus({ days: ((index + 7 - today.weekday) % 7) + 1 }),
    ]),
  ),
  'clocks-change': (today, day) => clockChange(today, day, 'change'),
  'clocks-forward': (today, day) => clockChange(today, day, 'go forward'),
  'clocks-back': (today, day) => clockChange(today, day, 'go back'),
}

const MOMENT = /^([a-z-]*[a-z])((?:[+-]\d+(?:wd|[dwmy])?)*)(?: T(\d\d):(\d\d)(?::(\d\d))?([+-]\d+)?)?$/

interface Parsed {
  /** At midnight UTC: a day of the calendar. */
  readonly date: DateTime
  /** Milliseconds after midnight by the clock on the wall. */
  readonly time?: number
  /** Milliseconds that then pass. */
  readonly later: number
}

/** A FHIR date, `2026-03-02`. @throws FhirError 422 */
export function dateAt(text: string, day: ClinicDay): string {
  const { date, time } = parsed(text, day)
  if (time !== undefined) throw refused(text, 'a date has no time; use {"$at": …} for a dateTime or an instant')
  return date.toISODate() ?? ''
}

/** A FHIR instant in the clinic's time zone, `2026-03-02T09:00:00-05:00`. @throws FhirError 422 */
export const timeAt = (text: string, day: ClinicDay): string => clockOf(day.timeZone).format(instantAt(text, day))

/** Milliseconds since 1970 UTC. @throws FhirError 422 */
export function instantAt(text: string, day: ClinicDay): number {
  const { date, time, later } = parsed(text, day)
  if (time === undefined) throw refused(text, 'a time is missing; use {"$date": …} for a date')
  return clockOf(day.timeZone).instantFrom(date.toMillis() + time) + later
}

function parsed(text: string, day: ClinicDay): Parsed {
  const [, name = '', offsets = '', hour, minute, second = '0', later = '0'] = MOMENT.exec(text) ?? []
  const anchor = Object.hasOwn(ANCHORS, name) ? ANCHORS[name] : undefined
  if (anchor === undefined) throw refused(text, `it begins with one of ${Object.keys(ANCHORS).join(', ')}`)
  let date = anchor(todayOf(day), day)
  for (const [, amount, unit] of offsets.matchAll(/([+-]\d+)([a-z]*)/g)) date = moved(date, Number(amount), unit)
  const time = hour === undefined ? {} : { time: (Number(hour) * 60 + Number(minute)) * MINUTE + Number(second) * 1000 }
  return { date, ...time, later: Number(later) * MINUTE }
}

const refused = (text: string, reason: string) =>
  unprocessable(`'${text}' is no moment of a scenario: ${reason} (docs/scenarios.md)`)

/** The calendar day by the clock on the wall, at midnight UTC. */
const todayOf = ({ now, timeZone }: ClinicDay): DateTime =>
  DateTime.fromMillis(Math.floor(clockOf(timeZone).wallTimeAt(now) / DAY) * DAY, { zone: 'utc' })

function moved(date: DateTime, amount: number, unit: string | undefined): DateTime {
  switch (unit) {
    case 'wd':
      return workingDays(date, amount)
    case 'w':
      return date.plus({ weeks: amount })
    case 'm':
      return date.plus({ months: amount })
    case 'y':
      return date.plus({ years: amount })
    default:
      return date.plus({ days: amount })
  }
}

/** The working day that comes so many working days after a day, or before it where the amount is negative. */
function workingDays(date: DateTime, amount: number): DateTime {
  const step = Math.sign(amount)
  let day = date
  for (let left = Math.abs(amount); left > 0; ) {
    day = day.plus({ days: step })
    if (isWorkingDay(day)) left -= 1
  }
  return day
}

/** A year has two changes at most zones, and the next of each kind is less than 13 months ahead. */
const MOST_DAYS = 400

/** Whether the clocks of the zone go forward and back within a year. */
export function changesClocks(day: ClinicDay): boolean {
  const clock = clockOf(day.timeZone)
  return Array.from({ length: MOST_DAYS }, (_, days) => clock.offsetAt(day.now + days * DAY)).some(
    (offset) => offset !== clock.offsetAt(day.now),
  )
}

/** The first day from today on during which the clocks are changed. */
function clockChange(today: DateTime, { timeZone }: ClinicDay, kind: 'change' | 'go forward' | 'go back'): DateTime {
  const clock = clockOf(timeZone)
  const offset = (days: number) => clock.offsetAt(clock.instantFrom(today.toMillis() + days * DAY))
  for (let days = 0; days < MOST_DAYS; days++) {
    const gained = offset(days + 1) - offset(days)
    if (kind === 'change' ? gained !== 0 : kind === 'go forward' ? gained > 0 : gained < 0) return today.plus({ days })
  }
  throw unprocessable(
    `The clocks of the time zone ${timeZone} do not ${kind} within a year; choose a clinic of a zone with daylight saving`,
  )
}
