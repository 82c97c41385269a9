/** The fields of each part of the working hours. */
import { Chip, Group, NativeSelect, TextInput } from '@mantine/core'
import {
  type Absence,
  type Break,
  DAY_TEXT,
  DAYS,
  type Day,
  type SpecialHours,
  type VisitType,
  type WeeklyHours,
} from '../../fhir/availability.ts'
import type { RowProps } from './part-list.tsx'

interface WithCodes {
  /** The codes of the kinds of visits. */
  readonly codes: readonly string[]
}

export const WeeklyRow = ({ part, onChange, name, codes }: RowProps<WeeklyHours> & WithCodes) => (
  <>
    <Days days={part.days} name={name} onChange={(days) => onChange({ ...part, days })} />
    <Hours part={part} name={name} onChange={(hours) => onChange({ ...part, ...hours })} />
    <Kind value={part.type} codes={codes} name={name} onChange={(type) => onChange({ ...part, type })} />
  </>
)

export const BreakRow = ({ part, onChange, name }: RowProps<Break>) => (
  <>
    <Days days={part.days} name={name} onChange={(days) => onChange({ ...part, days })} />
    <Hours part={part} name={name} onChange={(hours) => onChange({ ...part, ...hours })} />
  </>
)

export const SpecialRow = ({ part, onChange, name, codes }: RowProps<SpecialHours> & WithCodes) => (
  <>
    <Field type="date" label="Day" name={name} value={part.date} onChange={(date) => onChange({ ...part, date })} />
    <Hours part={part} name={name} onChange={(hours) => onChange({ ...part, ...hours })} />
    <Kind value={part.type} codes={codes} name={name} onChange={(type) => onChange({ ...part, type })} />
    <Description part={part} name={name} onChange={(description) => onChange({ ...part, description })} />
  </>
)

export const AbsenceRow = ({ part, onChange, name }: RowProps<Absence>) => (
  <>
    <Field
      type={typeFor(part.start)}
      label="From"
      name={name}
      value={part.start}
      onChange={(start) => onChange({ ...part, start })}
    />
    <Field
      type={typeFor(part.end)}
      label="Until, that day too"
      name={name}
      value={part.end}
      onChange={(end) => onChange({ ...part, end })}
    />
    <Description part={part} name={name} onChange={(description) => onChange({ ...part, description })} />
  </>
)

export const TypeRow = ({ part, onChange, name }: RowProps<VisitType>) => (
  <>
    <Field label="Code" name={name} value={part.code} width={130} onChange={(code) => onChange({ ...part, code })} />
    <Field
      label="Name"
      name={name}
      value={part.display}
      width={190}
      onChange={(display) => onChange({ ...part, display })}
    />
    <Field
      type="number"
      label="Minutes"
      name={name}
      value={part.minutes}
      width={90}
      onChange={(minutes) => onChange({ ...part, minutes })}
    />
    <Field
      type="number"
      label="Free before"
      name={name}
      value={part.before}
      width={100}
      onChange={(before) => onChange({ ...part, before })}
    />
    <Field
      type="number"
      label="Free after"
      name={name}
      value={part.after}
      width={100}
      onChange={(after) => onChange({ ...part, after })}
    />
  </>
)

/** Dates are whole days; a value with a time, written by another client, is shown as it is. */
const typeFor = (value: string): string => (value.length > 10 ? 'text' : 'date')

interface FieldProps {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: string
  readonly width?: number
}

const Field = ({ label, name, value, onChange, type = 'text', width = 150 }: FieldProps) => (
  <TextInput
    type={type}
    label={label}
    aria-label={`${label}, ${name}`}
    value={value}
    w={width}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

interface HoursProps {
  readonly part: { readonly from: string; readonly until: string }
  readonly name: string
  readonly onChange: (hours: { readonly from?: string; readonly until?: string }) => void
}

const Hours = ({ part, name, onChange }: HoursProps) => (
  <Group gap="xs" wrap="nowrap">
    <Field type="time" label="From" name={name} value={part.from} width={140} onChange={(from) => onChange({ from })} />
    <Field
      type="time"
      label="Until"
      name={name}
      value={part.until}
      width={140}
      onChange={(until) => onChange({ until })}
    />
  </Group>
)

interface DaysProps {
  readonly days: readonly Day[]
  readonly name: string
  readonly onChange: (days: readonly Day[]) => void
}

const Days = ({ days, name, onChange }: DaysProps) => (
  <Chip.Group multiple value={[...days]} onChange={(chosen) => onChange(DAYS.filter((day) => chosen.includes(day)))}>
    <Group gap={4} role="group" aria-label={`Days, ${name}`}>
      {DAYS.map((day) => (
        <Chip key={day} value={day} size="sm" radius="sm" icon={null}>
          {DAY_TEXT[day]}
        </Chip>
      ))}
    </Group>
  </Chip.Group>
)

interface KindProps extends WithCodes {
  readonly value: string
  readonly name: string
  readonly onChange: (code: string) => void
}

/** Only where there are kinds of visits to choose from. */
function Kind({ value, codes, name, onChange }: KindProps) {
  if (codes.length === 0 && value === '') return null
  const all = codes.includes(value) || value === '' ? codes : [...codes, value]
  return (
    <NativeSelect
      label="For"
      aria-label={`For, ${name}`}
      data={[{ value: '', label: 'any visit' }, ...all]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface DescriptionProps {
  readonly part: { readonly description: string }
  readonly name: string
  readonly onChange: (description: string) => void
}

const Description = ({ part, name, onChange }: DescriptionProps) => (
  <Field label="What it is" name={name} value={part.description} width={200} onChange={onChange} />
)
