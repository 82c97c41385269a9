/**
 * A day with a row for each schedule, and a week of one. All calls of @mantine/schedule are here: it knows wall times
 * only, so instants are converted to the clinic's wall times, and picked places are reported as wall times.
 */
import { Box } from '@mantine/core'
import { ResourcesDayView, type ScheduleEventData, WeekView } from '@mantine/schedule'
import { clinicNow } from '../api/clock.ts'
import '@mantine/schedule/styles.css'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { clockText, minutesBetween, naiveOf } from '../fhir/time.ts'
import classes from './calendar.module.css'

export interface CalendarEntry {
  readonly id: string
  /** The id of its row. */
  readonly row: string
  /** The full description, for tooltips and screen readers. */
  readonly title: string
  readonly label: string
  /** Instants. */
  readonly start: string
  readonly end: string
  readonly look: 'visit' | 'done' | 'held' | 'missed' | 'free' | 'blocked'
  readonly isMovable: boolean
}

export interface CalendarRow {
  readonly id: string
  readonly label: string
  readonly note: string
}

interface CalendarProps {
  /** `2026-11-24`; of a week, any day of it. */
  readonly day: string
  readonly zone: string
  readonly entries: readonly CalendarEntry[]
  /** Minutes of the grid. */
  readonly step: number
  /** A visit was opened. */
  readonly onOpen: (id: string) => void
  /** @param naive wall time of the clinic: `2026-11-24 10:30:00` */
  readonly onPick: (row: string, naive: string) => void
  readonly onMove: (id: string, row: string, naive: string) => void
}

interface DayProps extends CalendarProps {
  readonly rows: readonly CalendarRow[]
  readonly renderRow: (row: CalendarRow) => ReactNode
}

export function DayCalendar({ rows, renderRow, ...props }: DayProps) {
  const { day, zone, entries, step, onOpen, onPick, onMove } = props
  return (
    <Box className={`card ${classes.frame}`}>
      <ResourcesDayView
        date={day}
        withHeader={false}
        resources={rows.map(({ id, label }) => ({ id, label }))}
        renderResourceLabel={({ id }) => {
          const row = rows.find((one) => one.id === id)
          return row === undefined ? null : renderRow(row)
        }}
        events={entries.map((entry) => eventOf(entry, zone))}
        {...hoursOf(entries, zone)}
        intervalMinutes={step}
        slotWidth={step * 2.8}
        rowHeight={76}
        getCurrentTime={() => naiveOf(clinicNow(), zone)}
        classNames={{
          resourcesDayView: classes.day ?? '',
          resourcesDayViewBackgroundEvent: classes.background ?? '',
          resourcesDayViewResourceLabel: classes.row ?? '',
        }}
        renderEventBody={(event) => <Body event={event} />}
        withEventsDragAndDrop
        canDragEvent={isMovable}
        onEventClick={({ id }) => onOpen(String(id))}
        onTimeSlotClick={({ slotStart, resourceId }) => onPick(String(resourceId), slotStart)}
        onEventDrop={({ eventId, newStart, resourceId, event }) =>
          onMove(String(eventId), String(resourceId ?? event.resourceId), newStart)
        }
        labels={{ resourceSlot: 'Time', resources: 'Practitioner' }}
      />
    </Box>
  )
}

interface WeekProps extends CalendarProps {
  /** The schedule that it belongs to. */
  readonly row: string
  readonly onDay: (day: string) => void
}

export function WeekCalendar({ row, day, zone, entries, step, onOpen, onPick, onMove, onDay }: WeekProps) {
  const box = useRef<HTMLDivElement>(null)
  useSeenNames(box)
  return (
    <Box ref={box} className={`card ${classes.frame}`}>
      <WeekView
        date={day}
        withHeader={false}
        withAllDaySlots={false}
        withWeekNumber={false}
        weekdayFormat="ddd D"
        classNames={{
          weekViewDayLabel: classes.weekday ?? '',
          weekViewDayNumber: classes.hidden ?? '',
          weekViewBackgroundEvent: classes.background ?? '',
        }}
        onDateChange={onDay}
        events={entries.map((entry) => eventOf(entry, zone))}
        {...hoursOf(entries, zone)}
        intervalMinutes={step}
        slotHeight={72}
        getCurrentTime={() => naiveOf(clinicNow(), zone)}
        renderEventBody={(event) => <Body event={event} />}
        withEventsDragAndDrop
        canDragEvent={isMovable}
        onEventClick={({ id }) => onOpen(String(id))}
        onTimeSlotClick={({ slotStart }) => onPick(row, slotStart)}
        onEventDrop={({ eventId, newStart }) => onMove(String(eventId), row, newStart)}
        labels={{ timeSlot: 'Time' }}
      />
    </Box>
  )
}

/** Names the heads of days by their visible text: the library names them by the date alone (WCAG 2.5.3). */
function useSeenNames(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    for (const head of box.current?.querySelectorAll(`.${classes.weekday}`) ?? []) head.removeAttribute('aria-label')
  })
}

const COLORS: Readonly<Record<CalendarEntry['look'], string>> = {
  visit: 'cyan',
  done: 'gray',
  held: 'yellow',
  missed: 'red',
  free: 'green',
  blocked: 'gray',
}

/** The end is computed from the duration, as the clocks may change in between. */
function eventOf(entry: CalendarEntry, zone: string): ScheduleEventData {
  const { id, row, title, start, end, look } = entry
  const isBackground = look === 'free' || look === 'blocked'
  return {
    id,
    resourceId: row,
    title,
    start: naiveOf(start, zone),
    end: later(naiveOf(start, zone), minutesBetween(start, end)),
    color: COLORS[look],
    ...(isBackground ? { display: 'background' as const } : {}),
    payload: { entry, at: clockText(start, zone) },
  }
}

const later = (naive: string, minutes: number): string =>
  new Date(Date.parse(`${naive.replace(' ', 'T')}Z`) + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')

const entryOf = ({ payload }: ScheduleEventData): CalendarEntry | undefined => payload?.['entry']
const isMovable = (event: ScheduleEventData): boolean => entryOf(event)?.isMovable ?? false

function Body({ event }: { readonly event: ScheduleEventData }) {
  const entry = entryOf(event)
  if (entry === undefined) return null
  return (
    <span className={classes.body} data-look={entry.look} title={entry.title}>
      <span className={classes.at}>{event.payload?.['at']}</span> <bdi className={classes.label}>{entry.label}</bdi>
    </span>
  )
}

/** Whole hours around all that is shown, and around the usual hours at least. */
function hoursOf(entries: readonly CalendarEntry[], zone: string) {
  const starts = entries.map(({ start }) => Number(clockText(start, zone).slice(0, 2)))
  const ends = entries.map(({ start, end }) => {
    const naive = naiveOf(start, zone)
    const until = later(naive, minutesBetween(start, end))
    return until.slice(0, 10) === naive.slice(0, 10)
      ? Math.ceil(Number(until.slice(11, 13)) + Number(until.slice(14, 16)) / 60)
      : 24
  })
  const first = Math.min(9, ...starts)
  const last = Math.max(17, ...ends)
  const text = (hour: number) => `${String(hour).padStart(2, '0')}:00:00`
  return { startTime: text(first), endTime: last === 24 ? '23:59:59' : text(last) }
}
