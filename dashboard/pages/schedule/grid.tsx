/** A plan as a calendar: practitioners of a day side by side, or the days of one practitioner. */
import { Text, UnstyledButton } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { freeTimes, nearestTo, type TimedSlot } from '../../fhir/free-times.ts'
import { dayText, shortDayText, startOfDay } from '../../fhir/time.ts'
import type { Visit } from '../../fhir/visits.ts'
import { Calendar } from '../../parts/calendar/calendar.tsx'
import type { CalendarColumn } from '../../parts/calendar/entry.ts'
import { tellProblem } from '../../parts/undo.tsx'
import { entriesOf, type HoursByDay, hoursKey, shadesOf, stepOf } from './entries.ts'
import type { Opened, View } from './opened.ts'
import type { useMoves } from './use-moves.ts'
import type { Column } from './use-plan.ts'

interface GridProps {
  readonly days: readonly string[]
  readonly hours: HoursByDay
  readonly columns: readonly Column[]
  readonly visits: readonly Visit[]
  readonly free: readonly TimedSlot[]
  readonly slots: readonly TimedSlot[]
  readonly zone: string
  readonly view: View
  readonly moves: ReturnType<typeof useMoves>
  readonly open: (opened: Opened) => void
  readonly onDay: (day: string) => void
  readonly onAbsence: (name: string) => void
}

export function Grid(props: GridProps) {
  const { days, hours, columns, visits, free, slots, zone, view, open, onDay, onAbsence } = props
  const step = useMemo(() => stepOf(slots), [slots])
  const { dropsOf, drop } = dropping(props, step)
  const entries = useMemo(() => entriesOf({ free, visits, columns, zone }), [free, visits, columns, zone])
  const shades = useMemo(() => shadesOf({ columns, days, hours, slots, zone }), [columns, days, hours, slots, zone])
  const heads = useMemo(
    () =>
      view === 'week'
        ? days.map((day) => dayHead(day, columns[0], { hours, zone, onDay }))
        : columns.map((column) => personHead(column, days[0] ?? '', hours)),
    [view, days, columns, hours, zone, onDay],
  )
  return (
    <Calendar
      name={view === 'week' ? `Week of ${columns[0]?.label ?? ''}` : 'Day'}
      columns={heads}
      entries={entries}
      shades={shades}
      zone={zone}
      step={step}
      onOpen={(id) => {
        const visit = visits.find((one) => one.id === id)
        const time = freeTimes(free, undefined).find((one) => one.slots[0] === id)
        if (visit !== undefined) open({ kind: 'visit', visit })
        else if (time !== undefined) open({ kind: 'book', time })
        else onAbsence(id)
      }}
      dropsOf={dropsOf}
      onDrop={drop}
    />
  )
}

/** Places to which a visit can be dragged: the free times that are long enough for it, and its own. */
function dropping({ visits, free, slots, zone, moves, open }: GridProps, step: number) {
  const timesFor = (visit: Visit) => {
    const own = slots.filter(({ id = '' }) => visit.slots.includes(id))
    const times = freeTimes([...free, ...own], visit.minutes)
    return (row: string, naive: string) =>
      nearestTo(
        times.filter(({ schedule }) => schedule === row),
        naive,
        { zone, within: step / 2 },
      )
  }
  const dropsOf = (id: string) => {
    const visit = visits.find((one) => one.id === id)
    return visit === undefined ? () => undefined : timesFor(visit)
  }
  const drop = (id: string, row: string, naive: string) => {
    const visit = visits.find((one) => one.id === id)
    if (visit === undefined) return
    const time = timesFor(visit)(row, naive)
    if (time?.start === visit.start && row === visit.schedule) return
    if (time !== undefined) void moves.move(visit, time)
    else {
      tellProblem(new Error(`No ${visit.minutes} minutes are free there. The visit stays where it is.`), {
        label: 'Show free times',
        onClick: () => open({ kind: 'move', visit }),
      })
    }
  }
  return { dropsOf, drop }
}

/** Reasons for which a column has no or few free times. */
function noteOf(schedule: string, day: string, hours: HoursByDay): string {
  const ofDay = hours.get(hoursKey(schedule, day))
  if (ofDay === undefined) return 'No working hours'
  if (ofDay.closedFor !== undefined) return ofDay.closedFor
  return ofDay.open.length === 0 ? (ofDay.shut[0]?.reason ?? 'Not working') : ofDay.note
}

const Lines = ({ name, note }: { readonly name: ReactNode; readonly note: string }) => (
  <>
    <Text fw={600} fz="clamp(0.75rem, 14cqi, 0.875rem)" lh={1.35} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
      {name}
    </Text>
    <Text size="xs" c="dimmed" className="cut">
      <bdi>{note}</bdi>
    </Text>
  </>
)

function personHead(column: Column, day: string, hours: HoursByDay): CalendarColumn {
  const { id, label, note } = column
  const text = [noteOf(id, day, hours), note].filter(Boolean).join(', ')
  return {
    id: `${id} ${day}`,
    row: id,
    day,
    name: label,
    head: (
      <div title={[label, text].filter(Boolean).join(', ')}>
        <Lines name={<bdi>{label}</bdi>} note={text} />
      </div>
    ),
  }
}

interface Days {
  readonly hours: HoursByDay
  readonly zone: string
  readonly onDay: (day: string) => void
}

function dayHead(day: string, column: Column | undefined, { hours, zone, onDay }: Days): CalendarColumn {
  const id = column?.id ?? ''
  const name = dayText(startOfDay(day, zone), zone)
  return {
    id: `${id} ${day}`,
    row: id,
    day,
    name,
    head: (
      <UnstyledButton title={name} onClick={() => onDay(day)}>
        <Lines name={shortDayText(startOfDay(day, zone), zone)} note={noteOf(id, day, hours)} />
      </UnstyledButton>
    ),
  }
}
