/** Times in words: "Tuesday, November 24th, at 2:30 in the afternoon". */
import { DateTime } from 'luxon'
import { instantsAt } from './when/wall-clock.ts'

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
