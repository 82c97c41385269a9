/** A month: how many visits and free times each day has, counted by the server in one request, and reasons for closed days. */
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { clinicNow, thisMinute } from '../../api/clock.ts'
import { type Counted, useCounts } from '../../api/counts.ts'
import { DAY_TEXT } from '../../fhir/availability.ts'
import { weekdayOf } from '../../fhir/open-hours.ts'
import { addDays, dateText, dayOf, dayText, startOfDay } from '../../fhir/time.ts'
import { isPractitioner, NOT_SHOWN } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PlainLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { closedFor } from './closed-notice.tsx'
import { hoursByDay } from './entries.ts'
import classes from './schedule.module.css'
import type { Column } from './use-plan.ts'
import { monthOf } from './weeks.ts'

/** Milliseconds between two counts. */
const EVERY = 60_000

interface MonthProps {
  readonly day: string
  readonly columns: readonly Column[]
  readonly isAll: boolean
  /** Filters of the address that a day keeps. */
  readonly who: string
}

export function Month({ day, columns, isAll, who }: MonthProps) {
  const { timeZone: zone } = useClinic()
  const weeks = useMemo(() => monthOf(day), [day])
  const days = weeks.flat()
  const today = dayOf(clinicNow(), zone)
  const hours = useMemo(() => hoursByDay(columns, weeks.flat(), zone), [columns, weeks, zone])
  const counted = days.flatMap((one) => countsOf(one, { zone, today, columns: isAll ? [] : columns }))
  const counts = useCounts('month', counted, { every: EVERY })
  return (
    <Loaded query={counts} rows={6}>
      {(all) => (
        <table className={`card ${classes.month}`}>
          <caption className={classes.caption}>{dateText(day.slice(0, 7))}</caption>
          <thead>
            <tr>
              {weeks[0]?.map((one) => (
                <th key={one} scope="col">
                  {DAY_TEXT[weekdayOf(one)]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0]}>
                {week.map((one) => (
                  <td
                    key={one}
                    data-other={one.slice(0, 7) !== day.slice(0, 7) || undefined}
                    data-today={one === today || undefined}
                  >
                    <DayCell
                      day={one}
                      who={who}
                      isToday={one === today}
                      visits={all[days.indexOf(one) * 2] ?? 0}
                      free={all[days.indexOf(one) * 2 + 1] ?? 0}
                      reason={closedFor(columns, one, hours)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Loaded>
  )
}

interface CellProps {
  readonly day: string
  readonly who: string
  readonly isToday: boolean
  readonly visits: number
  readonly free: number
  readonly reason: string | undefined
}

function DayCell({ day, who, isToday, visits, free, reason }: CellProps) {
  const { timeZone: zone } = useClinic()
  return (
    <PlainLink
      aria-current={isToday ? 'date' : undefined}
      className={classes.day}
      to="/schedule"
      search={{ day, view: 'day', who: who || undefined }}
    >
      <Text span size="sm" fw={600} title={dayText(startOfDay(day, zone), zone)}>
        {Number(day.slice(8))}
      </Text>
      {visits > 0 && (
        <Text span size="xs">
          {visits} {visits === 1 ? 'visit' : 'visits'}
        </Text>
      )}
      {free > 0 && (
        <Text span size="xs" className={classes.freeCount}>
          {free} free
        </Text>
      )}
      {reason !== undefined && (
        <Text span size="xs" c="dimmed" className={classes.reason} title={reason}>
          <bdi>{reason}</bdi>
        </Text>
      )}
    </PlainLink>
  )
}

interface Counting {
  readonly zone: string
  readonly today: string
  /** None: all. */
  readonly columns: readonly Column[]
}

/** Visits of a day, and its free times, of which past ones do not count. */
function countsOf(day: string, { zone, today, columns }: Counting): readonly Counted[] {
  const end = startOfDay(addDays(day, 1), zone)
  const start = startOfDay(day, zone)
  const soon = day === today ? new Date(thisMinute()).toISOString() : start
  const schedules = columns.map(({ id }) => `Schedule/${id}`).join()
  const actors = columns
    .flatMap(({ schedule }) => schedule.actor.filter(isPractitioner).map(({ reference = '' }) => reference))
    .join()
  const since = day < today ? end : soon
  return [
    {
      type: 'Appointment',
      parameters: [
        ['date', `ge${start}`],
        ['date', `lt${end}`],
        ...NOT_SHOWN.map((status) => ['status:not', status] as const),
        ...(actors === '' ? [] : [['actor', actors] as const]),
      ],
    },
    {
      type: 'Slot',
      parameters: [
        ['status', 'free'],
        ['start', `ge${since}`],
        ['start', `lt${end}`],
        ...(schedules === '' ? [] : [['schedule', schedules] as const]),
      ],
    },
  ]
}
