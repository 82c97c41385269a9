/** Visits, free times and hours of a plan as entries of a calendar. */
import { availabilityOf } from '../../fhir/availability.ts'
import { scheduleIdOf, type TimedSlot } from '../../fhir/free-times.ts'
import { conceptText } from '../../fhir/names.ts'
import { covers, type DayHours, hoursOn, type Shut } from '../../fhir/open-hours.ts'
import { clockText, minutesBetween } from '../../fhir/time.ts'
import { kindOf, mayMove, type Visit, type VisitStatus, visitStatusText } from '../../fhir/visits.ts'
import type { CalendarEntry, CalendarShade } from '../../parts/calendar/entry.ts'
import { absenceName } from './absence-name.ts'
import type { Column } from './use-plan.ts'

const LOOKS: Partial<Record<VisitStatus, CalendarEntry['look']>> = {
  pending: 'held',
  fulfilled: 'done',
  noshow: 'missed',
}

interface Shown {
  /** Free ones that are still to come. */
  readonly free: readonly TimedSlot[]
  readonly visits: readonly Visit[]
  readonly columns: readonly Column[]
  readonly zone: string
}

export function entriesOf({ free, visits, columns, zone }: Shown): readonly CalendarEntry[] {
  const names = new Map(columns.map(({ id, label }) => [id, label]))
  return [
    ...free.map((slot) => freeEntry(slot, zone, names)),
    ...visits.map((visit) => visitEntry(visit, zone, names)),
  ].filter(({ row }) => names.has(row))
}

function freeEntry(slot: TimedSlot, zone: string, names: ReadonlyMap<string, string>): CalendarEntry {
  const { id = '', start, end, appointmentType } = slot
  const row = scheduleIdOf(slot)
  const kind = conceptText(appointmentType)
  const spoken = [`to ${clockText(end, zone)}`, names.get(row)].join(', ')
  return {
    ...{ id, row, start, end, kind, spoken },
    title: `${clockText(start, zone)} ${spoken}, free${kind === '' ? '' : `, ${kind}`}`,
    label: 'free',
    look: 'free',
    isMovable: false,
  }
}

function visitEntry(visit: Visit, zone: string, names: ReadonlyMap<string, string>): CalendarEntry {
  const { id, schedule: row = '', start, end, status, patient } = visit
  const until = visit.heldUntil === undefined ? '' : ` until ${clockText(visit.heldUntil, zone)}`
  const note = status === 'booked' ? '' : ` · ${visitStatusText(status)}${until}`
  const kind = kindOf(visit)
  const spoken = [`to ${clockText(end, zone)}`, visitStatusText(status), names.get(row)].join(', ')
  return {
    ...{ id, row, start, end, kind, spoken },
    title: [`${clockText(start, zone)} to ${clockText(end, zone)}`, patient, kind, `${visitStatusText(status)}${until}`]
      .filter(Boolean)
      .join(', '),
    label: `${patient}${note}`,
    look: (status && LOOKS[status]) ?? 'visit',
    isMovable: mayMove(visit),
  }
}

/** The hours of each practitioner on each day, by `scheduleId day`. */
export type HoursByDay = ReadonlyMap<string, DayHours>

export const hoursKey = (schedule: string, day: string): string => `${schedule} ${day}`

export function hoursByDay(columns: readonly Column[], days: readonly string[], zone: string): HoursByDay {
  return new Map(
    columns.flatMap(({ id, schedule }) => {
      const hours = availabilityOf(schedule)
      return hours === undefined ? [] : days.map((day) => [hoursKey(id, day), hoursOn(hours, day, zone)] as const)
    }),
  )
}

interface Behind {
  readonly columns: readonly Column[]
  readonly days: readonly string[]
  readonly hours: HoursByDay
  readonly slots: readonly TimedSlot[]
  readonly zone: string
}

/** Open hours, breaks, absences and blocked slots, each with its reason. */
export function shadesOf({ columns, days, hours, slots, zone }: Behind): readonly CalendarShade[] {
  return columns.flatMap(({ id: row }) => {
    const own = days.flatMap((day) => hours.get(hoursKey(row, day)) ?? [])
    const open = own.flatMap((ofDay) => ofDay.open)
    const shut = own.flatMap((ofDay) => ofDay.shut)
    const blocked = blockedOf(slots.filter((slot) => scheduleIdOf(slot) === row)).filter(
      (one) => !shut.some((other) => covers(other, one)),
    )
    return [
      ...open.map(({ start, end }) => ({
        id: `${row} open ${start}`,
        row,
        start,
        end,
        look: 'open' as const,
        text: '',
      })),
      ...[...shut, ...blocked].map((one, index): CalendarShade => {
        const { start, end, absence } = one
        return {
          ...{ id: `${row} shut ${start} ${index}`, row, start, end, look: 'shut' as const },
          text: `${one.reason}, ${spanText(one, zone)}`,
          opens: absence && absenceName(row, absence),
        }
      }),
    ]
  })
}

/** `13:00–17:00`; a whole day says so. */
export function spanText({ start, end }: Pick<Shut, 'start' | 'end'>, zone: string): string {
  const [from, until] = [clockText(start, zone), clockText(end, zone)]
  return from === until ? 'all day' : `${from}–${until}`
}

/** Time of slots that are blocked; those that follow each other for the same reason are one. */
function blockedOf(slots: readonly TimedSlot[]): readonly Shut[] {
  const blocked: Shut[] = []
  for (const slot of slots.filter(({ status }) => status === 'busy-unavailable')) {
    const [last, reason] = [blocked.at(-1), reasonOf(slot)]
    const isNext = last?.reason === reason && Date.parse(last.end) === Date.parse(slot.start)
    if (last !== undefined && isNext) blocked[blocked.length - 1] = { ...last, end: slot.end }
    else blocked.push({ start: slot.start, end: slot.end, reason })
  }
  return blocked
}

/** The server's reasons, by the code of its tag: docs/schedule.md. */
const REASONS: Readonly<Record<string, string>> = {
  'generated-buffer': 'kept free',
  reserved: 'taken by a visit elsewhere',
}

function reasonOf({ comment, meta }: TimedSlot): string {
  const told = (meta?.tag ?? []).flatMap(({ code = '' }) => REASONS[code] ?? [])
  return comment ?? told.at(-1) ?? 'blocked'
}

const STEPS = [60, 30, 20, 15, 10, 5]

/** Minutes of the coarsest grid on which all slots begin and end. */
export function stepOf(slots: readonly TimedSlot[]): number {
  const fits = (step: number) =>
    slots.every(
      ({ start, end }) => (Date.parse(start) / 60_000) % step === 0 && minutesBetween(start, end) % step === 0,
    )
  return slots.length === 0 ? 30 : Math.min(30, STEPS.find(fits) ?? 5)
}
