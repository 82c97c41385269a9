/** Selects the practitioners whose schedules are shown. */
import { Button, Checkbox, Popover, Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { type Column, columnText } from './use-plan.ts'

interface PeopleSelectProps {
  readonly columns: readonly Column[]
  /** Schedule.id of each; none: all. */
  readonly value: readonly string[]
  /** Whether a new one takes the place of the one before. */
  readonly isSingle: boolean
  readonly onChange: (ids: readonly string[]) => void
}

/** Practitioners above which a name is searched for. */
const MANY = 8

export function PeopleSelect({ columns, value, isSingle, onChange }: PeopleSelectProps) {
  const [typed, setTyped] = useState('')
  const shown = columns.filter((column) => columnText(column).toLowerCase().includes(typed.trim().toLowerCase()))
  return (
    <Popover position="bottom-start" trapFocus returnFocus transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Button variant="default" maw={320} rightSection={<Icon name="down" size={14} />}>
          <span className="cut">{chosenText(columns, value)}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm" mah={400} style={{ overflowY: 'auto' }}>
        <Stack gap="xs">
          {columns.length > MANY && (
            <TextInput label="Name" value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
          )}
          {isSingle ? (
            <Radio.Group label="Practitioner" value={value[0] ?? ''} onChange={(id) => onChange([id])}>
              <Choices of={Radio} columns={shown} />
            </Radio.Group>
          ) : (
            <Checkbox.Group label="Practitioners" value={[...value]} onChange={onChange}>
              <Choices of={Checkbox} columns={shown} />
            </Checkbox.Group>
          )}
          {value.length > 0 && !isSingle && (
            <Button variant="default" size="xs" onClick={() => onChange([])}>
              All practitioners
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

interface ChoicesProps {
  readonly of: typeof Radio | typeof Checkbox
  readonly columns: readonly Column[]
}

const Choices = ({ of: Choice, columns }: ChoicesProps) => (
  <Stack gap="xs" mt="xs">
    {columns.map((column) => (
      <Choice key={column.id} value={column.id} label={<bdi>{columnText(column)}</bdi>} />
    ))}
  </Stack>
)

function chosenText(columns: readonly Column[], value: readonly string[]): string {
  const [first, ...others] = columns.filter(({ id }) => value.includes(id))
  if (first === undefined) return 'All practitioners'
  return others.length === 0 ? first.label : `${others.length + 1} of ${columns.length} practitioners`
}
