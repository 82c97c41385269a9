/** Selects the practitioners whose schedules are shown. */
import { MultiSelect } from '@mantine/core'
import classes from './schedule.module.css'
import { type Column, columnText } from './use-plan.ts'

interface PeopleSelectProps {
  readonly columns: readonly Column[]
  /** Schedule.id of each; none: all. */
  readonly value: readonly string[]
  /** Whether a new one takes the place of the one before. */
  readonly isSingle: boolean
  readonly onChange: (ids: readonly string[]) => void
}

export function PeopleSelect({ columns, value, isSingle, onChange }: PeopleSelectProps) {
  return (
    <MultiSelect
      aria-label="Practitioners"
      placeholder={value.length === 0 ? 'All practitioners' : ''}
      data={columns.map((column) => ({ value: column.id, label: columnText(column) }))}
      value={[...value]}
      searchable={columns.length > 8}
      clearable
      onChange={(ids) => onChange(isSingle ? ids.slice(-1) : ids)}
      classNames={{ inputField: classes.people ?? '' }}
      flex="1 1 200px"
      maw={360}
    />
  )
}
