/** The free times of the week that begins on a day, to choose one from. */
import { Chip, Group, Stack, Text, TextInput } from '@mantine/core'
import type { Slot } from 'fhir/r4'
import { useId, useMemo, useState } from 'react'
import { useAll } from '../../api/all-pages.ts'
import { clinicNow } from '../../api/clock.ts'
import { type FreeTime, freeTimes, isTimed } from '../../fhir/free-times.ts'
import { addDays, clockText, dayOf, dayText, startOfDay } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { PractitionerSelect } from './practitioner-select.tsx'
import classes from './schedule.module.css'
import type { Column } from './use-plan.ts'

interface Looked {
  /** Schedule.id; empty: all. */
  readonly who: string
  /** `2026-11-24` */
  readonly from: string
}

interface FreeTimePickerProps {
  readonly columns: readonly Column[]
  /** The practitioner and day shown first. */
  readonly first: Looked
  /** Minutes needed; undefined: one Slot. */
  readonly minutes?: number | undefined
  readonly value: FreeTime | undefined
  readonly onChange: (time: FreeTime) => void
}

const DAYS = 7

export function FreeTimePicker({ columns, first, minutes, value, onChange }: FreeTimePickerProps) {
  const { timeZone } = useClinic()
  const [looked, setLooked] = useState(first)
  const today = dayOf(clinicNow(), timeZone)
  const from = looked.from < today ? today : looked.from
  const query = useFreeSlots({ ...looked, from }, timeZone)
  const times = useMemo(() => query.data && freeTimes(query.data, minutes), [query.data, minutes])
  return (
    <Stack gap="sm">
      <Group gap="sm" align="end">
        <TextInput
          type="date"
          label="From"
          value={from}
          min={today}
          onChange={({ currentTarget: { value: day } }) => day !== '' && setLooked({ ...looked, from: day })}
        />
        <PractitionerSelect
          columns={columns}
          value={looked.who}
          isRequired={false}
          onChange={(who) => setLooked({ ...looked, who })}
        />
      </Group>
      <Text size="xs" c="dimmed">
        <ZoneNote />
      </Text>
      <Loaded query={{ ...query, data: times }} rows={3}>
        {(all) => <Times times={all} columns={columns} value={value} onChange={onChange} from={from} />}
      </Loaded>
    </Stack>
  )
}

function useFreeSlots({ who, from }: Looked, zone: string) {
  // Rounded to the minute, so that the query stays the same from one render to the next.
  const minute = new Date(clinicNow()).toISOString().slice(0, 16)
  const start = startOfDay(from, zone)
  const query = useAll<Slot>('Slot', [
    ['status', 'free'],
    ['start', `ge${start}`],
    ['start', `lt${startOfDay(addDays(from, DAYS), zone)}`],
    ...(who === '' ? [] : [['schedule', `Schedule/${who}`] as const]),
    ['_elements', 'schedule,start,end,status,appointmentType'],
    ['_sort', 'start'],
  ])
  const data = useMemo(
    () => query.data?.matches.filter(isTimed).filter((slot) => Date.parse(slot.start) > Date.parse(`${minute}Z`)),
    [query.data, minute],
  )
  return { data, error: query.error, refetch: query.refetch }
}

interface TimesProps extends Pick<FreeTimePickerProps, 'columns' | 'value' | 'onChange'> {
  readonly times: readonly FreeTime[]
  readonly from: string
}

function Times({ times, columns, value, onChange, from }: TimesProps) {
  const { timeZone } = useClinic()
  // With one name the radio buttons are one stop of the Tab key, and the arrow keys move between them.
  const name = useId()
  const days = Object.entries(Object.groupBy(times, ({ start }) => dayOf(start, timeZone)))
  if (days.length === 0) {
    return (
      <Text size="sm" role="status">
        Nothing is free in the week from {dayText(startOfDay(from, timeZone), timeZone)}. Choose a later day, or another
        practitioner.
      </Text>
    )
  }
  return (
    <Stack gap="xs" mah={280} style={{ overflowY: 'auto' }} tabIndex={0} role="group" aria-label="Free times">
      <Chip.Group value={value?.slots.join() ?? ''}>
        {days.map(([day, ofDay = []]) => (
          <div key={day}>
            <Text size="sm" fw={600} mb={4}>
              {dayText(startOfDay(day, timeZone), timeZone)}
            </Text>
            <div className={classes.times}>
              {ofDay.map((time) => (
                <Chip
                  key={time.slots.join()}
                  name={name}
                  value={time.slots.join()}
                  size="sm"
                  radius="sm"
                  title={columns.find(({ id }) => id === time.schedule)?.label}
                  onChange={() => onChange(time)}
                >
                  {clockText(time.start, timeZone)}
                </Chip>
              ))}
            </div>
          </div>
        ))}
      </Chip.Group>
    </Stack>
  )
}
