/** Selects the practitioner whose schedule is shown. */
import { NativeSelect } from '@mantine/core'
import { type Column, columnText } from './use-plan.ts'

interface PractitionerSelectProps {
  readonly columns: readonly Column[]
  /** Schedule.id; empty: all. */
  readonly value: string
  readonly isRequired: boolean
  readonly onChange: (id: string) => void
}

export function PractitionerSelect({ columns, value, isRequired, onChange }: PractitionerSelectProps) {
  const all = isRequired ? [] : [{ value: '', label: 'All practitioners' }]
  return (
    <NativeSelect
      label="Practitioner"
      data={[...all, ...columns.map((column) => ({ value: column.id, label: columnText(column) }))]}
      value={value}
      onChange={({ currentTarget: { value: id } }) => onChange(id)}
      flex="1 1 200px"
      maw={300}
    />
  )
}
