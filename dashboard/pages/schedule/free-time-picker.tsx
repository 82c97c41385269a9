/** The free times of the week that begins on a day, to choose one from. */
import { Chip, Group, Stack, Text, TextInput } from '@mantine/core'
import { useId, useMemo, useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { availabilityOf } from '../../fhir/availability.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { clockText, dayOf, dayText, startOfDay } from '../../fhir/time.ts'
import { timesFor, type VisitKind } from '../../fhir/visit-kinds.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { PractitionerSelect } from './practitioner-select.tsx'
import classes from './schedule.module.css'
import { type Looked, useFreeSlots } from './use-free-slots.ts'
import type { Column } from './use-plan.ts'

interface FreeTimePickerProps {
  readonly columns: readonly Column[]
  /** The practitioner and day shown first. */
  readonly first: Omit<Looked, 'days'>
  /** Minutes needed; undefined: one Slot. */
  readonly minutes?: number | undefined
  /** Only times for this kind of visit, as long as it takes. */
  readonly kind?: VisitKind | undefined
  /** Slots that are held in this dialog. */
  readonly own?: readonly string[]
  readonly value: FreeTime | undefined
  readonly onChange: (time: FreeTime) => void
}

const DAYS = 7

export function FreeTimePicker({ columns, first, minutes, kind, own, value, onChange }: FreeTimePickerProps) {
  const { timeZone } = useClinic()
  const [looked, setLooked] = useState(first)
  const today = dayOf(clinicNow(), timeZone)
  const from = looked.from < today ? today : looked.from
  const query = useFreeSlots({ ...looked, from, days: DAYS }, timeZone, own)
  const times = useMemo(() => query.data && timesFor(query.data, { kind, minutes }), [query.data, kind, minutes])
  const who = columns.find(({ id }) => id === looked.who)
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
        {(all) =>
          all.length === 0 ? (
            <Nothing who={who} kind={kind} from={from} />
          ) : (
            <Times times={all} columns={columns} value={value} onChange={onChange} />
          )
        }
      </Loaded>
    </Stack>
  )
}

interface NothingProps {
  readonly who: Column | undefined
  readonly kind: VisitKind | undefined
  readonly from: string
}

function Nothing({ who, kind, from }: NothingProps) {
  const { timeZone } = useClinic()
  const day = dayText(startOfDay(from, timeZone), timeZone)
  return (
    <Text size="sm" role="status" className="prose">
      {who !== undefined && availabilityOf(who.schedule) === undefined ? (
        <>
          <bdi>{who.label}</bdi> has no working hours yet.{' '}
          <PageLink to={`/schedule/hours/${who.id}`}>Set them</PageLink>, or choose another practitioner.
        </>
      ) : who !== undefined && kind !== undefined && !kind.minutes.has(who.id) ? (
        <>
          <bdi>{who.label}</bdi> does not offer <bdi>{kind.name}</bdi>. Choose another practitioner.
        </>
      ) : (
        <>Nothing is free in the week from {day}. Choose a later day, or another practitioner.</>
      )}
    </Text>
  )
}

interface TimesProps extends Pick<FreeTimePickerProps, 'columns' | 'value' | 'onChange'> {
  readonly times: readonly FreeTime[]
}

function Times({ times, columns, value, onChange }: TimesProps) {
  const { timeZone } = useClinic()
  // With one name the radio buttons are one stop of the Tab key, and the arrow keys move between them.
  const name = useId()
  const days = Object.entries(Object.groupBy(times, ({ start }) => dayOf(start, timeZone)))
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
