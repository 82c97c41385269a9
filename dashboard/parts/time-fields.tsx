/** The time of a list: until now, or from a time of the clinic to another one. */
import { NativeSelect, TextInput } from '@mantine/core'
import { now } from '../api/clock.ts'
import { naiveOf, wallTime } from '../fhir/time.ts'
import { useClinic } from './clinic-context.tsx'

const OWN = 'own'
const HOUR = 3_600

const RANGES = [
  { value: '', label: 'Any time' },
  { value: `${HOUR}`, label: 'Last hour' },
  { value: `${24 * HOUR}`, label: 'Last day' },
  { value: `${7 * 24 * HOUR}`, label: 'Last week' },
  { value: OWN, label: 'From … to …' },
]

/** `range`: seconds until now; the others are instants. Texts, as they stand in an address. */
export interface Times {
  readonly range: string
  readonly since: string
  readonly until: string
}

interface TimeFieldsProps {
  readonly filters: Times
  readonly onChange: (changes: Times) => void
}

export function TimeFields({ filters: { range, since, until }, onChange }: TimeFieldsProps) {
  const isOwn = since !== '' || until !== ''
  const choose = (value: string): void => onChange(value === OWN ? lastHour() : { range: value, since: '', until: '' })
  const change = (times: Partial<Times>): void => onChange({ range: '', since, until, ...times })
  return (
    <>
      <NativeSelect
        label="Time"
        data={RANGES}
        value={isOwn ? OWN : range}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {isOwn && <TimeField label="From" at={since} onChange={(at) => change({ since: at })} />}
      {isOwn && <TimeField label="To" at={until} onChange={(at) => change({ until: at })} />}
    </>
  )
}

/** Instants; '' for none. */
export function sinceOf({ range, since }: Pick<Times, 'range' | 'since'>): string {
  const seconds = Number(range)
  return seconds > 0 ? new Date(now() - seconds * 1_000).toISOString() : since
}

function lastHour(): Times {
  const at = now()
  return { range: '', since: new Date(at - HOUR * 1_000).toISOString(), until: new Date(at).toISOString() }
}

interface TimeFieldProps {
  readonly label: string
  readonly at: string
  readonly onChange: (at: string) => void
}

function TimeField({ label, at, onChange }: TimeFieldProps) {
  const { timeZone } = useClinic()
  const naive = Number.isNaN(Date.parse(at)) ? '' : naiveOf(at, timeZone).replace(' ', 'T')
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      value={naive}
      onChange={({ currentTarget: { value } }) => {
        if (value !== '')
          onChange(new Date(wallTime(value.length === 16 ? `${value}:00` : value, timeZone)).toISOString())
      }}
    />
  )
}
