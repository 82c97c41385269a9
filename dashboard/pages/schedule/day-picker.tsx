/** Which day is seen; `t`, and the arrows with Alt, go there without a mouse. */
import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core'
import { useHotkeys, useId } from '@mantine/hooks'
import { addDays } from '../../fhir/time.ts'
import { Icon } from '../../parts/icon.tsx'
import type { View } from './opened.ts'
import { addMonths } from './weeks.ts'

interface DayPickerProps {
  /** `2026-11-24` */
  readonly day: string
  readonly today: string
  readonly view: View
  readonly onChange: (day: string) => void
}

const byDays = (days: number) => (day: string, count: number) => addDays(day, days * count)

const STEPS: Readonly<Record<View, { readonly span: string; readonly go: (day: string, count: number) => string }>> = {
  day: { span: 'day', go: byDays(1) },
  list: { span: 'day', go: byDays(1) },
  week: { span: 'week', go: byDays(7) },
  month: { span: 'month', go: addMonths },
}

export function DayPicker({ day, today, view, onChange }: DayPickerProps) {
  const { span, go } = STEPS[view]
  const field = useId()
  useHotkeys([
    ['alt+ArrowLeft', () => onChange(go(day, -1))],
    ['alt+ArrowRight', () => onChange(go(day, 1))],
    ['t', () => onChange(today)],
  ])
  return (
    <Group gap={4} wrap="nowrap">
      <Text component="label" htmlFor={field} size="sm" fw={500} mr={4}>
        Date
      </Text>
      <ActionIcon variant="default" size={36} aria-label={`Previous ${span}`} onClick={() => onChange(go(day, -1))}>
        <Icon name="arrowLeft" size={16} />
      </ActionIcon>
      <TextInput
        id={field}
        type="date"
        value={day}
        w={150}
        onChange={({ currentTarget: { value } }) => value !== '' && onChange(value)}
      />
      <ActionIcon variant="default" size={36} aria-label={`Next ${span}`} onClick={() => onChange(go(day, 1))}>
        <span style={{ transform: 'scaleX(-1)', display: 'flex' }}>
          <Icon name="arrowLeft" size={16} />
        </span>
      </ActionIcon>
      <Button variant="default" px="sm" disabled={day === today} onClick={() => onChange(today)}>
        Today
      </Button>
    </Group>
  )
}
