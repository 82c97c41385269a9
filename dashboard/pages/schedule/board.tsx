/** The visits and free times of a plan, as calendar or list, with the actions on each. */
import { Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { freeTimes, nearestTo } from '../../fhir/free-times.ts'
import type { Visit } from '../../fhir/visits.ts'
import { DayCalendar, WeekCalendar } from '../../parts/calendar.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { tellProblem } from '../../parts/undo.tsx'
import { BookDialog } from './book-dialog.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { entriesOf, stepOf } from './entries.ts'
import { MoveDialog } from './move-dialog.tsx'
import type { Opened, View } from './opened.ts'
import { TimeList } from './time-list.tsx'
import { useMoves } from './use-moves.ts'
import type { Column, Plan } from './use-plan.ts'
import { useVisitActions } from './visit-actions.ts'
import { VisitDialog } from './visit-dialog.tsx'
import { Waitlist } from './waitlist.tsx'

/** Milliseconds. */
const MINUTE = 60_000

interface BoardProps {
  readonly plan: Plan
  readonly columns: readonly Column[]
  readonly all: readonly Column[]
  readonly view: View
  readonly day: string
  /** Opens a day of a week. */
  readonly onDay: (day: string) => void
}

export function Board({ plan, columns, all, view, day, onDay }: BoardProps) {
  const { timeZone: zone } = useClinic()
  const [opened, open] = useState<Opened>()
  const actions = useVisitActions()
  const moves = useMoves(actions, { zone, onRefused: (visit) => open({ kind: 'move', visit }) })
  const visits = plan.visits.map(moves.asShown)
  const minute = Math.floor(clinicNow() / MINUTE) * MINUTE
  const free = useMemo(
    () => plan.slots.filter(({ status, start }) => status === 'free' && Date.parse(start) > minute),
    [plan.slots, minute],
  )
  const step = stepOf(plan.slots)

  const pick = (row: string, naive: string) => {
    const times = freeTimes(free, undefined).filter(({ schedule }) => schedule === row)
    const time = nearestTo(times, naive, { zone, within: step - 1 })
    if (time === undefined) tellProblem(new Error('Nothing is free at this time.'))
    else open({ kind: 'book', time })
  }
  const drop = (id: string, row: string, naive: string) => {
    const visit = plan.visits.find((one) => one.id === id)
    if (visit === undefined) return
    const own = plan.slots.filter((slot) => visit.slots.includes(slot.id ?? ''))
    const times = freeTimes([...free, ...own], visit.minutes).filter(({ schedule }) => schedule === row)
    const time = nearestTo(times, naive, { zone, within: step / 2 })
    if (time?.start === visit.start && row === visit.schedule) return
    if (time !== undefined) void moves.move(visit, time)
    else {
      tellProblem(new Error(`No ${visit.minutes} minutes are free there. The visit stays where it is.`), {
        label: 'Show free times',
        onClick: () => open({ kind: 'move', visit }),
      })
    }
  }
  const shared = {
    day,
    zone,
    step,
    entries: entriesOf({ slots: plan.slots, visits, columns, zone }),
    onOpen: (id: string) => {
      const visit = visits.find((one) => one.id === id)
      if (visit !== undefined) open({ kind: 'visit', visit })
    },
    onPick: pick,
    onMove: drop,
  }
  return (
    <Stack gap="md">
      {view === 'list' ? (
        <TimeList visits={visits} free={free} columns={columns} onOpen={open} />
      ) : view === 'week' ? (
        <WeekCalendar {...shared} row={columns[0]?.id ?? ''} onDay={onDay} />
      ) : (
        <DayCalendar {...shared} rows={columns} renderRow={(row) => <RowLabel {...row} />} />
      )}
      {view !== 'list' && (
        <Text size="xs" c="dimmed">
          Green is free: click, or go there with the arrow keys and press Enter, to book. Drag a visit to move it, or
          open it and choose “Move…”.
        </Text>
      )}
      <Waitlist onBook={(entry) => open({ kind: 'book', time: undefined, entry })} />
      <Dialogs opened={opened} open={open} columns={all} moves={moves} visits={visits} />
    </Stack>
  )
}

function RowLabel({ label, note }: { readonly label: string; readonly note: string }) {
  return (
    <div>
      <Text size="sm" fw={600} className="cut">
        <bdi>{label}</bdi>
      </Text>
      <Text size="xs" c="dimmed" className="cut">
        <bdi>{note}</bdi>
      </Text>
    </div>
  )
}

interface DialogsProps {
  readonly opened: Opened | undefined
  readonly open: (opened: Opened | undefined) => void
  readonly columns: readonly Column[]
  readonly moves: ReturnType<typeof useMoves>
  readonly visits: readonly Visit[]
}

function Dialogs({ opened, open, columns, moves, visits }: DialogsProps) {
  const close = () => open(undefined)
  if (opened === undefined) return null
  if (opened.kind === 'book')
    return <BookDialog time={opened.time} entry={opened.entry} columns={columns} onClose={close} />
  // The current version of the visit, if it is still shown.
  const visit = visits.find(({ id }) => id === opened.visit.id) ?? opened.visit
  if (opened.kind === 'move') {
    return <MoveDialog visit={visit} columns={columns} onMove={(time) => moves.move(visit, time)} onClose={close} />
  }
  if (opened.kind === 'cancel') return <CancelDialog visit={visit} onClose={close} />
  return (
    <VisitDialog
      visit={visit}
      columns={columns}
      onBecome={(status) => {
        moves.become(visit, status)
        close()
      }}
      onMove={() => open({ kind: 'move', visit })}
      onCancel={() => open({ kind: 'cancel', visit })}
      onClose={close}
    />
  )
}
