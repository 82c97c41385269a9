/** Which day is seen; `t`, and the arrows with Alt, go there without a mouse. */
import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { addDays } from '../../fhir/time.ts'
import { Icon } from '../../parts/icon.tsx'

interface DayPickerProps {
  /** `2026-11-24` */
  readonly day: string
  readonly today: string
  /** Days of a page. */
  readonly step: number
  readonly onChange: (day: string) => void
}

export function DayPicker({ day, today, step, onChange }: DayPickerProps) {
  const span = step === 7 ? 'week' : 'day'
  useHotkeys([
    ['alt+ArrowLeft', () => onChange(addDays(day, -step))],
    ['alt+ArrowRight', () => onChange(addDays(day, step))],
    ['t', () => onChange(today)],
  ])
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        variant="default"
        size={36}
        aria-label={`Previous ${span}`}
        onClick={() => onChange(addDays(day, -step))}
      >
        <Icon name="arrowLeft" size={16} />
      </ActionIcon>
      <TextInput
        type="date"
        aria-label="Day"
        value={day}
        w={150}
        onChange={({ currentTarget: { value } }) => value !== '' && onChange(value)}
      />
      <ActionIcon variant="default" size={36} aria-label={`Next ${span}`} onClick={() => onChange(addDays(day, step))}>
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
