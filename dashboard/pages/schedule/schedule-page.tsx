/** Days and weeks of the clinic's practitioners: visits, free times, holds, the waitlist. */
import { Alert, Group, SegmentedControl, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { clinicNow } from '../../api/clock.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { addDays, dayOf } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LinkButton } from '../../parts/links.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { Board } from './board.tsx'
import { BookLink } from './book-link.tsx'
import { DayPicker } from './day-picker.tsx'
import type { View } from './opened.ts'
import { PractitionerSelect } from './practitioner-select.tsx'
import { type Column, useColumns, usePlan } from './use-plan.ts'
import { weekOf } from './weeks.ts'

const VIEWS = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
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
  const [filters, setFilters] = useFilters({ day: '', view: '', who: '', book: '' })
  const today = dayOf(clinicNow(), zone)
  const day = /^\d{4}-\d{2}-\d{2}$/.test(filters.day) ? filters.day : today
  const view = viewOf(filters.view, isNarrow ?? false)
  const chosen = columns.find(({ id }) => id === filters.who)
  // The week view needs a practitioner.
  const who = chosen ?? (view === 'week' ? columns[0] : undefined)
  const from = view === 'week' ? weekOf(day) : day
  const until = addDays(from, view === 'week' ? 7 : 1)
  const plan = usePlan({ from, until, zone, schedule: who?.id }, columns)
  return (
    <>
      <PageHead title="Schedule" description={<ZoneNote />} />
      <Group mb="sm" gap="sm">
        <DayPicker
          day={day}
          today={today}
          step={view === 'week' ? 7 : 1}
          onChange={(next) => setFilters({ day: next })}
        />
        <PractitionerSelect
          columns={columns}
          value={who?.id ?? ''}
          isRequired={view === 'week'}
          onChange={(id) => setFilters({ who: id })}
        />
        <SegmentedControl
          aria-label="View"
          data={VIEWS}
          value={view}
          onChange={(value) => setFilters({ view: value })}
        />
        {who !== undefined && (
          <LinkButton variant="default" to={`/schedule/hours/${who.id}`}>
            Working hours…
          </LinkButton>
        )}
      </Group>
      <Loaded query={plan} rows={10}>
        {(data) => (
          <>
            {data.isCut && <Alert mb="sm">There is more than is shown here; choose one practitioner, or a day.</Alert>}
            <Board
              plan={data}
              columns={who === undefined ? columns : [who]}
              all={columns}
              view={view}
              day={day}
              onDay={(next) => setFilters({ day: next, view: 'day' })}
            />
          </>
        )}
      </Loaded>
      {filters.book !== '' && (
        <BookLink reference={filters.book} columns={columns} onClose={() => setFilters({ book: '' })} />
      )}
    </>
  )
}

function viewOf(given: string, isNarrow: boolean): View {
  if (given === 'day' || given === 'week' || given === 'list') return given
  return isNarrow ? 'list' : 'day'
}

function NoSchedules() {
  return (
    <>
      <PageHead title="Schedule" />
      <Empty
        icon="calendar"
        title="Nobody has a schedule yet"
        action={<LinkButton to="/explorer">Open the explorer</LinkButton>}
      >
        <Text span inherit>
          A Schedule with a practitioner makes one (POST /Schedule); its working hours, which are set here then, fill it
          with times that can be booked.
        </Text>
      </Empty>
    </>
  )
}
