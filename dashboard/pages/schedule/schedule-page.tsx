/** Days and weeks of the clinic's practitioners: visits, free times, holds, the waitlist. */
import { Alert, Button, Group, SegmentedControl, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { lazy, Suspense, useMemo } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { addDays, dayOf, startOfWeek } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LinkButton } from '../../parts/links.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { absenceNamed } from './absence-name.ts'
import { Board } from './board.tsx'
import { BookLink } from './book-link.tsx'
import { ClosedNotice } from './closed-notice.tsx'
import { DayPicker } from './day-picker.tsx'
import { type HoursByDay, hoursByDay } from './entries.ts'
import { Month } from './month.tsx'
import type { View } from './opened.ts'
import { PeopleSelect } from './people-select.tsx'
import { type Column, columnsNamed, useColumns, usePlan } from './use-plan.ts'
import { daysFrom } from './weeks.ts'

const BlockDialog = lazy(async () => ({ default: (await import('./block-dialog.tsx')).BlockDialog }))
const AbsenceDialog = lazy(async () => ({ default: (await import('./absence-dialog.tsx')).AbsenceDialog }))

const VIEWS = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'list', label: 'List' },
]

const SHOWN = ['Appointment', 'Slot', 'Schedule', 'Patient']

export function SchedulePage() {
  const { id } = useClinic()
  useFresh(id, SHOWN)
  const columns = useColumns()
  return (
    <Loaded query={columns} rows={10}>
      {(data) => (data.length === 0 ? <NoSchedules /> : <Schedules columns={data} />)}
    </Loaded>
  )
}

function Schedules({ columns }: { readonly columns: readonly Column[] }) {
  const { timeZone: zone } = useClinic()
  const isNarrow = useMediaQuery('(max-width: 700px)', undefined, { getInitialValueInEffect: false })
  const [filters, setFilters] = useFilters({ day: '', view: '', who: '', book: '', block: '', away: '' })
  const today = dayOf(clinicNow(), zone)
  const day = /^\d{4}-\d{2}-\d{2}$/.test(filters.day) ? filters.day : today
  const view = viewOf(filters.view, isNarrow ?? false)
  const shown = useShown(columns, filters.who, view)
  const isAll = shown.length === columns.length
  const isDay = view === 'day' || view === 'list'
  const days = useMemo(() => (view === 'week' ? daysFrom(startOfWeek(day), 7) : [day]), [view, day])
  const away = absenceNamed(filters.away, columns)
  const hours = useMemo(() => hoursByDay(shown, days, zone), [shown, days, zone])
  return (
    <>
      <PageHead
        title="Schedule"
        description={<ZoneNote />}
        actions={
          <>
            {isDay && (
              <LinkButton
                size="xs"
                variant="default"
                to="/schedule/print"
                search={{ day, who: filters.who || undefined }}
              >
                Print…
              </LinkButton>
            )}
            <Button size="xs" variant="default" onClick={() => setFilters({ block: shown[0]?.id ?? '' })}>
              Block time…
            </Button>
            {shown.length === 1 && (
              <LinkButton size="xs" variant="default" to={`/schedule/hours/${shown[0]?.id}`}>
                Working hours…
              </LinkButton>
            )}
          </>
        }
      />
      <Group mb="sm" gap="sm">
        <DayPicker day={day} today={today} view={view} onChange={(next) => setFilters({ day: next })} />
        <PeopleSelect
          columns={columns}
          value={isAll ? [] : shown.map(({ id }) => id)}
          isSingle={view === 'week'}
          onChange={(ids) => setFilters({ who: ids.join() })}
        />
        <SegmentedControl
          aria-label="View"
          data={VIEWS}
          value={view}
          onChange={(value) => setFilters({ view: value })}
        />
      </Group>
      {isDay && <ClosedNotice day={day} today={today} columns={shown} hours={hours} />}
      {view === 'month' ? (
        <Month day={day} columns={shown} isAll={isAll} who={filters.who} />
      ) : (
        <Planned
          {...{ columns, shown, days, hours, view }}
          isAll={isAll}
          onDay={(next) => setFilters({ day: next, view: 'day' })}
          onAbsence={(name) => setFilters({ away: name })}
        />
      )}
      {filters.book !== '' && (
        <BookLink reference={filters.book} columns={columns} onClose={() => setFilters({ book: '' })} />
      )}
      <Suspense>
        {filters.block !== '' && (
          <BlockDialog columns={columns} first={filters.block} day={day} onClose={() => setFilters({ block: '' })} />
        )}
        {away !== undefined && <AbsenceDialog {...away} onClose={() => setFilters({ away: '' })} />}
      </Suspense>
    </>
  )
}

/** The columns that the address names; a week has one. */
function useShown(columns: readonly Column[], who: string, view: View): readonly Column[] {
  return useMemo(() => {
    const named = columnsNamed(columns, who)
    return view === 'week' ? named.slice(0, 1) : named
  }, [columns, who, view])
}

interface PlannedProps {
  readonly columns: readonly Column[]
  readonly shown: readonly Column[]
  readonly isAll: boolean
  readonly days: readonly string[]
  readonly hours: HoursByDay
  readonly view: View
  readonly onDay: (day: string) => void
  readonly onAbsence: (name: string) => void
}

function Planned({ columns, shown, isAll, days, hours, view, onDay, onAbsence }: PlannedProps) {
  const { timeZone: zone } = useClinic()
  const schedules = isAll ? [] : shown.map(({ id }) => id)
  const span = { from: days[0] ?? '', until: addDays(days.at(-1) ?? '', 1) }
  const plan = usePlan({ ...span, zone, schedules }, columns)
  return (
    <Loaded query={plan} rows={10}>
      {(data) => (
        <>
          {data.isCut && <Alert mb="sm">There is more than is shown here; choose one practitioner, or a day.</Alert>}
          <Board {...{ plan: data, columns: shown, all: columns, view, days, hours, onDay, onAbsence }} />
        </>
      )}
    </Loaded>
  )
}

function viewOf(given: string, isNarrow: boolean): View {
  if (given === 'day' || given === 'week' || given === 'month' || given === 'list') return given
  return isNarrow ? 'list' : 'day'
}

function NoSchedules() {
  return (
    <>
      <PageHead title="Schedule" />
      <Empty
        icon="calendar"
        title="Nobody has a schedule yet"
        action={
          <LinkButton size="xs" to="/explorer" search={{ view: 'resources', type: 'Schedule' }}>
            Open the Schedules
          </LinkButton>
        }
      >
        <Text span inherit>
          Make a Schedule that names a practitioner, there or by POST /Schedule. Then set its working hours here: they
          fill it with times that can be booked.
        </Text>
      </Empty>
    </>
  )
}
