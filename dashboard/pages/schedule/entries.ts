/** Slots and visits as entries of a calendar. */
import { clinicNow } from '../../api/clock.ts'
import { scheduleIdOf, type TimedSlot } from '../../fhir/free-times.ts'
import { clockText, minutesBetween } from '../../fhir/time.ts'
import { mayMove, type Visit, type VisitStatus, visitStatusText } from '../../fhir/visits.ts'
import type { CalendarEntry } from '../../parts/calendar.tsx'
import type { Column } from './use-plan.ts'

const LOOKS: Partial<Record<VisitStatus, CalendarEntry['look']>> = {
  pending: 'held',
  fulfilled: 'done',
  noshow: 'missed',
}

interface Shown {
  readonly slots: readonly TimedSlot[]
  readonly visits: readonly Visit[]
  readonly columns: readonly Column[]
  readonly zone: string
}

export function entriesOf({ slots, visits, columns, zone }: Shown): readonly CalendarEntry[] {
  const rows = new Set(columns.map(({ id }) => id))
  const painted = slots.flatMap((slot) => slotEntry(slot) ?? [])
  return [...painted, ...visits.map((visit) => visitEntry(visit, zone))].filter(({ row }) => rows.has(row))
}

/** Only future free slots and blocked ones; a booked slot is shown by its visit. */
function slotEntry(slot: TimedSlot): CalendarEntry | undefined {
  const { id = '', start, end, status } = slot
  const isFree = status === 'free' && Date.parse(start) > clinicNow()
  if (!isFree && status !== 'busy-unavailable') return undefined
  const look = isFree ? 'free' : 'blocked'
  return {
    id,
    row: scheduleIdOf(slot),
    title: look,
    label: isFree ? '' : 'blocked',
    start,
    end,
    look,
    isMovable: false,
  }
}

function visitEntry(visit: Visit, zone: string): CalendarEntry {
  const { id, schedule = '', start, end, status, patient } = visit
  const until = visit.heldUntil === undefined ? '' : ` until ${clockText(visit.heldUntil, zone)}`
  const note = status === 'booked' ? '' : ` · ${visitStatusText(status)}${until}`
  return {
    id,
    row: schedule,
    title: `${clockText(start, zone)} to ${clockText(end, zone)}, ${patient}, ${visitStatusText(status)}${until}`,
    label: `${patient}${note}`,
    start,
    end,
    look: (status && LOOKS[status]) ?? 'visit',
    isMovable: mayMove(visit),
  }
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
