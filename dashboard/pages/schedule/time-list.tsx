/** The same times as a list, for narrow windows, keyboards, and screen readers. */
import { Button, Group, Stack, Switch, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { type FreeTime, freeTimes, type TimedSlot } from '../../fhir/free-times.ts'
import type { Shut } from '../../fhir/open-hours.ts'
import { clockText } from '../../fhir/time.ts'
import type { Visit } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { Empty } from '../../parts/page-states.tsx'
import { type HoursByDay, hoursKey, spanText } from './entries.ts'
import type { Opened } from './opened.ts'
import classes from './schedule.module.css'
import { StatusBadge } from './status-badge.tsx'
import type { Column } from './use-plan.ts'

interface TimeListProps {
  readonly days: readonly string[]
  readonly hours: HoursByDay
  readonly visits: readonly Visit[]
  readonly free: readonly TimedSlot[]
  readonly columns: readonly Column[]
  readonly onOpen: (opened: Opened) => void
}

export function TimeList({ days, hours, visits, free, columns, onOpen }: TimeListProps) {
  const [withFree, setWithFree] = useState(true)
  const times = withFree ? freeTimes(free, undefined) : []
  return (
    <Stack gap="md">
      <Switch
        label="Free times too"
        checked={withFree}
        onChange={({ currentTarget: { checked } }) => setWithFree(checked)}
      />
      {columns.map((column) => (
        <section key={column.id} aria-label={column.label}>
          <Group gap="xs" mb={4} align="baseline">
            <Text fw={600} component="h2" size="md" m={0}>
              <bdi>{column.label}</bdi>
            </Text>
            <Text size="sm" c="dimmed">
              <bdi>{column.note}</bdi>
            </Text>
          </Group>
          <Times
            schedule={column.id}
            visits={visits.filter(({ schedule }) => schedule === column.id)}
            free={times.filter(({ schedule }) => schedule === column.id)}
            shut={days.flatMap((day) => hours.get(hoursKey(column.id, day))?.shut ?? [])}
            onOpen={onOpen}
          />
        </section>
      ))}
    </Stack>
  )
}

interface TimesProps {
  /** Schedule.id */
  readonly schedule: string
  readonly visits: readonly Visit[]
  readonly free: readonly FreeTime[]
  readonly shut: readonly Shut[]
  readonly onOpen: (opened: Opened) => void
}

type Row = { readonly at: string } & ({ readonly visit: Visit } | { readonly time: FreeTime } | { readonly shut: Shut })

function Times({ schedule, visits, free, shut, onOpen }: TimesProps) {
  const rows: readonly Row[] = [
    ...visits.map((visit) => ({ at: visit.start, visit })),
    ...free.map((time) => ({ at: time.start, time })),
    ...shut.map((one) => ({ at: one.start, shut: one })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  if (rows.length === 0) {
    return (
      <Empty
        icon="calendar"
        title="No visits and no free times"
        action={
          <LinkButton size="xs" variant="default" to={`/schedule/hours/${schedule}`}>
            Working hours…
          </LinkButton>
        }
      >
        Working hours fill a day with times that can be booked.
      </Empty>
    )
  }
  return (
    <div className="card">
      {rows.map((row) =>
        'shut' in row ? (
          <ShutRow key={`${row.shut.start} ${row.shut.reason}`} shut={row.shut} />
        ) : 'visit' in row ? (
          <VisitRow key={row.visit.id} visit={row.visit} onOpen={() => onOpen({ kind: 'visit', visit: row.visit })} />
        ) : (
          <FreeRow key={row.time.slots[0]} time={row.time} onBook={() => onOpen({ kind: 'book', time: row.time })} />
        ),
      )}
    </div>
  )
}

function ShutRow({ shut }: { readonly shut: Shut }) {
  const { timeZone } = useClinic()
  return (
    <div className={`row ${classes.time}`}>
      <span className="number">{spanText(shut, timeZone)}</span>
      <Text span size="sm" c="dimmed" className="cut">
        <bdi>{shut.reason}</bdi>
      </Text>
    </div>
  )
}

function VisitRow({ visit, onOpen }: { readonly visit: Visit; readonly onOpen: () => void }) {
  const { timeZone } = useClinic()
  return (
    <UnstyledButton className={`row ${classes.time}`} data-time={`${visit.schedule} ${visit.start}`} onClick={onOpen}>
      <span className="number">
        {clockText(visit.start, timeZone)}–{clockText(visit.end, timeZone)}
      </span>
      <span className="name cut">
        <bdi>{visit.patient}</bdi>
      </span>
      <StatusBadge status={visit.status} />
    </UnstyledButton>
  )
}

function FreeRow({ time, onBook }: { readonly time: FreeTime; readonly onBook: () => void }) {
  const { timeZone } = useClinic()
  const clock = clockText(time.start, timeZone)
  return (
    <div className={`row ${classes.time}`}>
      <span className="number">
        {clock}–{clockText(time.end, timeZone)}
      </span>
      <Text span size="sm" c="dimmed" className="cut">
        free{time.type === '' ? '' : `, ${time.type}`}
      </Text>
      <Button size="compact-xs" variant="default" data-time={`${time.schedule} ${time.start}`} onClick={onBook}>
        Book {clock}
      </Button>
    </div>
  )
}
