/** Repeating a visit every few weeks: each visit of the series is shown, with the time that it gets. */
import { Checkbox, Group, Loader, NativeSelect, Stack, Text } from '@mantine/core'
import { clockText, timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import type { Occurrence, Rhythm } from './use-repeat.ts'

interface RepeatProps {
  readonly rhythm: Rhythm | undefined
  readonly onRhythm: (rhythm: Rhythm | undefined) => void
  readonly occurrences: readonly Occurrence[]
  /** The instants of those that are left out. */
  readonly left: readonly string[]
  readonly onLeft: (left: readonly string[]) => void
}

const FIRST: Rhythm = { weeks: 2, times: 6 }
const WEEKS = [1, 2, 3, 4, 6, 8, 12].map((weeks) => ({
  value: String(weeks),
  label: weeks === 1 ? 'week' : `${weeks} weeks`,
}))
const TIMES = Array.from({ length: 11 }, (_, index) => String(index + 2))

export function Repeat({ rhythm, onRhythm, occurrences, left, onLeft }: RepeatProps) {
  return (
    <Stack gap="xs">
      <Checkbox
        label="Repeat this visit"
        checked={rhythm !== undefined}
        onChange={({ currentTarget: { checked } }) => onRhythm(checked ? FIRST : undefined)}
      />
      {rhythm !== undefined && (
        <>
          <Group gap="sm">
            <NativeSelect
              label="Every"
              data={WEEKS}
              value={String(rhythm.weeks)}
              onChange={({ currentTarget: { value } }) => onRhythm({ ...rhythm, weeks: Number(value) })}
            />
            <NativeSelect
              label="Visits in all"
              data={TIMES}
              value={String(rhythm.times)}
              onChange={({ currentTarget: { value } }) => onRhythm({ ...rhythm, times: Number(value) })}
            />
          </Group>
          <Stack gap={6} role="group" aria-label="Later visits">
            {occurrences.map((one) => (
              <Row
                key={one.at}
                occurrence={one}
                isTaken={!left.includes(one.at)}
                onTake={(isTaken) => onLeft(isTaken ? left.filter((at) => at !== one.at) : [...left, one.at])}
              />
            ))}
          </Stack>
        </>
      )}
    </Stack>
  )
}

interface RowProps {
  readonly occurrence: Occurrence
  readonly isTaken: boolean
  readonly onTake: (isTaken: boolean) => void
}

function Row({ occurrence, isTaken, onTake }: RowProps) {
  const { timeZone } = useClinic()
  const { at, time, isAtItsTime, isRead } = occurrence
  if (!isRead) {
    return (
      <Group gap="xs" mih={22}>
        <Loader size={14} aria-hidden />
        <Text size="sm">{timeText(at, timeZone)}</Text>
      </Group>
    )
  }
  return (
    <Checkbox
      label={time === undefined ? timeText(at, timeZone) : timeText(time.start, timeZone)}
      description={isAtItsTime ? 'free' : otherwise(time !== undefined, clockText(at, timeZone))}
      disabled={time === undefined}
      checked={isTaken && time !== undefined}
      onChange={({ currentTarget: { checked } }) => onTake(checked)}
    />
  )
}

const otherwise = (isThereAnother: boolean, clock: string): string =>
  isThereAnother
    ? `the nearest free time, as ${clock} is not free on its day`
    : 'nothing is free on this day or those beside it'
