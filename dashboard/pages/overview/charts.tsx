/** Calls and bookings over the last two weeks. */
import type { Appointment } from 'fhir/r4'
import { now } from '../../api/clock.ts'
import { useCounts } from '../../api/counts.ts'
import { usePages } from '../../api/queries.ts'
import { dayOf, startOfDay } from '../../fhir/time.ts'
import { CHART_HEIGHT, LazyDayBars } from '../../parts/charts/lazy-day-bars.tsx'
import { LinkToPage } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { CALLS, CHART_DAYS, lastDays, onDay, useToday } from './today.ts'

export function CallsChart() {
  const { day, zone } = useToday()
  const days = lastDays(day)
  const query = useCounts(
    'calls by day',
    days.map((one) => ({ type: 'Encounter', parameters: [...CALLS, ...onDay(one, zone)] })),
    { every: 60_000 },
  )
  return (
    <Panel
      title={`Calls in ${CHART_DAYS} days`}
      aside={<LinkToPage to="/calls">Live calls</LinkToPage>}
      minHeight={CHART_HEIGHT}
    >
      <Loaded query={query} rows={4}>
        {(counts) => (
          <LazyDayBars title="Calls" days={days.map((one, index) => ({ day: one, number: counts[index] ?? 0 }))} />
        )}
      </Loaded>
    </Panel>
  )
}

/**
 * By the day on which they were made, which is before the last change of each: a day of the clinic, whose clock may be
 * ahead of that by which changes are stored.
 */
export function BookingsChart() {
  const { day, zone } = useToday()
  const days = lastDays(day)
  const [first = day] = lastDays(dayOf(now(), zone))
  const query = usePages<Appointment>('Appointment', [
    ['_lastUpdated', `ge${startOfDay(first, zone)}`],
    ['_elements', 'created'],
    ['_count', '1000'],
  ])
  return (
    <Panel title={`Bookings in ${CHART_DAYS} days`} minHeight={CHART_HEIGHT}>
      <Loaded query={{ ...query, data: query.resources }} rows={4}>
        {(appointments) => <LazyDayBars title="Bookings" days={byDay(days, appointments, zone)} />}
      </Loaded>
    </Panel>
  )
}

function byDay(days: readonly string[], appointments: readonly Appointment[], zone: string) {
  const made = Map.groupBy(
    appointments.flatMap(({ created, meta }) => created ?? meta?.lastUpdated ?? []),
    (at) => dayOf(at, zone),
  )
  return days.map((day) => ({ day, number: made.get(day)?.length ?? 0 }))
}
