/** The filters of the work list; each choice is in the address. */
import { Group, NativeSelect } from '@mantine/core'
import { CODE_TEXT } from '../../fhir/task-words.ts'
import type { Filters } from './task-choices.ts'

const OWNERS = [
  { value: '', label: 'Any owner' },
  { value: 'me', label: 'Mine' },
  { value: 'nobody', label: 'Nobody’s' },
]
const PRIORITIES = [
  { value: '', label: 'Any' },
  { value: 'stat', label: 'Stat' },
  { value: 'asap', label: 'ASAP' },
  { value: 'urgent', label: 'Urgent' },
  { value: 'routine', label: 'Routine' },
]
const DUE = [
  { value: '', label: 'Any time' },
  { value: 'overdue', label: 'Overdue' },
  { value: 'day', label: 'Within a day' },
]
const CODES = [
  { value: '', label: 'Any kind' },
  ...Object.entries(CODE_TEXT).map(([value, label]) => ({ value, label })),
]

const SNOOZED = [
  { value: '', label: 'Not snoozed' },
  { value: 'snoozed', label: 'Snoozed' },
]
const SORTS = [
  { value: '', label: 'By due time' },
  { value: 'priority', label: 'By priority' },
  { value: 'newest', label: 'Newest first' },
  { value: 'name', label: 'By name' },
]

/** Choices by which Tasks are left out. */
const FILTERING = [
  { name: 'owner', label: 'Owner', data: OWNERS },
  { name: 'priority', label: 'Priority', data: PRIORITIES },
  { name: 'due', label: 'Due', data: DUE },
  { name: 'snoozed', label: 'Snoozed', data: SNOOZED },
  { name: 'code', label: 'Kind', data: CODES, width: 280 },
] as const

interface TaskFiltersProps {
  readonly filters: Filters
  readonly onChange: (changes: Partial<Filters>) => void
  /** How many Tasks there are with these choices in place of those made. */
  readonly countFor: (changes: Partial<Filters>) => number
}

export const TaskFilters = ({ filters, onChange, countFor }: TaskFiltersProps) => (
  <Group gap="xs">
    {FILTERING.map(({ name, label, data, ...look }) => (
      <Choice
        key={name}
        {...look}
        label={label}
        data={data.map(({ value, label }) => ({ value, label: `${label} (${countFor({ [name]: value })})` }))}
        value={filters[name]}
        onChoose={(value) => onChange({ [name]: value })}
      />
    ))}
    <Choice label="Order" data={SORTS} value={filters.sort} width={120} onChoose={(sort) => onChange({ sort })} />
  </Group>
)

interface ChoiceProps {
  readonly label: string
  readonly data: { readonly value: string; readonly label: string }[]
  readonly value: string
  readonly onChoose: (value: string) => void
  /** Pixels that its choices need; two are beside each other on a phone. */
  readonly width?: number
}

const Choice = ({ label, data, value, onChoose, width = 150 }: ChoiceProps) => (
  <NativeSelect
    label={label}
    data={data}
    value={value}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    flex={`1 1 ${width}px`}
    maw={Math.max(width, 220)}
  />
)
