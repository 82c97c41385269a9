/** The hours of a Schedule on one day: when it is open, and the reason why it is not. docs/schedule.md */
import { type Absence, type Availability, type Break, DAYS, type Day, type Hours } from './availability.ts'
import { addDays, startOfDay, wallTime } from './time.ts'

/** Instants. */
export interface Span {
  readonly start: string
  readonly end: string
}

export interface Shut extends Span {
  readonly reason: string
  /** The absence that it is; undefined for a break. */
  readonly absence?: Absence
}

export interface DayHours {
  readonly open: readonly Span[]
  readonly shut: readonly Shut[]
  /** The description of a day with hours of its own. */
  readonly note: string
  /** Reason for which none of the hours is left; undefined where some are, or where the day has none. */
  readonly closedFor: string | undefined
}

/**
 * @param day of the zone of the Schedule
 * @param clinicZone where the Schedule names no zone
 */
export function hoursOn(hours: Availability, day: string, clinicZone: string): DayHours {
  const zone = hours.timeZone || clinicZone
  const special = hours.special.filter(({ date }) => date === day)
  const weekday = weekdayOf(day)
  const weekly = hours.weekly.filter(({ days }) => days.includes(weekday))
  const open = (special.length > 0 ? special : weekly).map((one) => spanOn(one, day, zone))
  const away = hours.absences.flatMap((absence) => awayOn(absence, day, zone))
  const breaks = special.length > 0 ? [] : hours.breaks.filter((one) => isOn(one, weekday))
  const paused = breaks.flatMap((one) => within({ ...spanOn(one, day, zone), reason: 'Break' }, open))
  return {
    open,
    shut: [...paused.filter((one) => !away.some((other) => covers(other, one))), ...away],
    note: special[0]?.description ?? '',
    closedFor: open.length === 0 ? undefined : reasonFor(open, away),
  }
}

/** The reasons of absences that leave none of the hours. */
function reasonFor(open: readonly Span[], away: readonly Shut[]): string | undefined {
  const isClosed = open.every((span) => away.some((one) => covers(one, span)))
  return isClosed ? [...new Set(away.map(({ reason }) => reason))].join(', ') : undefined
}

export const weekdayOf = (day: string): Day => DAYS[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7] ?? 'mon'

const isOn = ({ days }: Break, weekday: Day): boolean => days.length === 0 || days.includes(weekday)

/** An end of 00:00 is the midnight at the end of the day. */
function spanOn({ from, until }: Hours, day: string, zone: string): Span {
  const end =
    until === '' || until === '00:00' ? startOfDay(addDays(day, 1), zone) : wallTime(`${day}T${until}:00`, zone)
  return { start: wallTime(`${day}T${from || '00:00'}:00`, zone), end }
}

/** The part of an absence that is on the day. */
function awayOn(absence: Absence, day: string, zone: string): readonly Shut[] {
  if (!isNear(absence, day)) return []
  const { start, end } = spanOfAbsence(absence, zone)
  const part = cut({ start, end, reason: absence.description || 'Away', absence }, spanOn(WHOLE, day, zone))
  return part === undefined ? [] : [part]
}

/** Whether it may be on the day, by the dates alone: spans take longer to compute, and there are many holidays. */
const isNear = ({ start, end }: Absence, day: string): boolean =>
  start.slice(0, 10) <= addDays(day, 1) && end.slice(0, 10) >= addDays(day, -1)

const WHOLE: Hours = { from: '', until: '' }

/** Dates are whole days, and times are times. */
function spanOfAbsence({ start, end }: Pick<Absence, 'start' | 'end'>, zone: string): Span {
  return {
    start: start.includes('T') ? start : startOfDay(start, zone),
    end: end.includes('T') ? end : startOfDay(addDays(end, 1), zone),
  }
}

const within = (shut: Shut, open: readonly Span[]): readonly Shut[] => open.flatMap((span) => cut(shut, span) ?? [])

/** The part of it that is within a span; undefined where they do not meet. */
function cut(shut: Shut, { start, end }: Span): Shut | undefined {
  const from = at(shut.start) > at(start) ? shut.start : start
  const until = at(shut.end) < at(end) ? shut.end : end
  return at(from) < at(until) ? { ...shut, start: from, end: until } : undefined
}

export const covers = (one: Span, other: Span): boolean =>
  at(one.start) <= at(other.start) && at(one.end) >= at(other.end)
export const overlaps = (one: Span, other: Span): boolean =>
  at(one.start) < at(other.end) && at(other.start) < at(one.end)
const at = (instant: string): number => Date.parse(instant)
