/** The visits and free times of a plan, as calendar or list, with the actions on each. */
import { Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import type { Visit } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { BookDialog } from './book-dialog.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import type { HoursByDay } from './entries.ts'
import { Grid } from './grid.tsx'
import { MoveDialog } from './move-dialog.tsx'
import type { Opened, View } from './opened.ts'
import { TimeList } from './time-list.tsx'
import { useMoves } from './use-moves.ts'
import type { Column, Plan } from './use-plan.ts'
import { useReturn } from './use-return.ts'
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
  /** The days shown, `2026-11-24`. */
  readonly days: readonly string[]
  readonly hours: HoursByDay
  /** Opens a day of a week. */
  readonly onDay: (day: string) => void
  /** @param name as absence-name.ts has it */
  readonly onAbsence: (name: string) => void
}

export function Board({ plan, columns, all, view, days, hours, onDay, onAbsence }: BoardProps) {
  const { timeZone: zone } = useClinic()
  const [opened, open] = useState<Opened>()
  const noteLeft = useReturn(plan)
  const actions = useVisitActions()
  const moves = useMoves(actions, { zone, onRefused: (visit) => open({ kind: 'move', visit }) })
  const visits = useMemo(() => plan.visits.map(moves.asShown), [plan.visits, moves.asShown])
  const minute = Math.floor(clinicNow() / MINUTE) * MINUTE
  const free = useMemo(
    () => plan.slots.filter(({ status, start }) => status === 'free' && Date.parse(start) > minute),
    [plan.slots, minute],
  )
  const shown = { days, hours, columns, visits, free, zone }
  return (
    <Stack gap="md">
      {view === 'list' ? (
        <TimeList {...shown} onOpen={open} />
      ) : (
        <Grid {...shown} slots={plan.slots} view={view} moves={moves} open={open} onDay={onDay} onAbsence={onAbsence} />
      )}
      <Waitlist onBook={(entry) => open({ kind: 'book', time: undefined, entry })} />
      <Dialogs opened={opened} open={open} onLeft={noteLeft} columns={all} moves={moves} visits={visits} />
    </Stack>
  )
}

interface DialogsProps {
  readonly opened: Opened | undefined
  readonly open: (opened: Opened | undefined) => void
  readonly columns: readonly Column[]
  readonly moves: ReturnType<typeof useMoves>
  readonly visits: readonly Visit[]
  /** Called when the dialog of a booking closes. */
  readonly onLeft: (time: FreeTime | undefined) => void
}

function Dialogs({ opened, open, onLeft, columns, moves, visits }: DialogsProps) {
  const close = () => open(undefined)
  if (opened === undefined) return null
  if (opened.kind === 'book') {
    const leave = () => {
      onLeft(opened.time)
      close()
    }
    return <BookDialog time={opened.time} entry={opened.entry} columns={columns} onClose={leave} />
  }
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
