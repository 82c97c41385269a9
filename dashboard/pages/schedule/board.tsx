/** The visits and free times of a plan, as calendar or list, with the actions on each. */
import { Stack } from '@mantine/core'
import { lazy, Suspense, useMemo, useState } from 'react'
import { thisMinute } from '../../api/clock.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import type { HoursByDay } from './entries.ts'
import { Grid } from './grid.tsx'
import type { Opened, View } from './opened.ts'
import { TimeList } from './time-list.tsx'
import { useMoves } from './use-moves.ts'
import type { Column, Plan } from './use-plan.ts'
import { useReturn } from './use-return.ts'
import { useVisitActions } from './visit-actions.ts'
import { Waitlist } from './waitlist.tsx'

const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).Dialogs }))

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
  const minute = thisMinute()
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
      {opened !== undefined && (
        <Suspense>
          <Dialogs opened={opened} open={open} onLeft={noteLeft} columns={all} moves={moves} visits={visits} />
        </Suspense>
      )}
    </Stack>
  )
}
