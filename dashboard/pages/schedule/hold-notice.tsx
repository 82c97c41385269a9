/** Whether the chosen time is kept while the dialog is open, and for how long. */
import { Button, Group, Text } from '@mantine/core'
import { clinicNow } from '../../api/clock.ts'
import { holdEndOf } from '../../fhir/visits.ts'
import { useEvery } from '../../parts/use-every.ts'
import type { Hold } from './use-hold.ts'

interface HoldNoticeProps {
  readonly hold: Hold | undefined
  readonly onAgain: () => void
}

export function HoldNotice({ hold, onAgain }: HoldNoticeProps) {
  const left = useLeft(hold?.kind === 'held' ? holdEndOf(hold.visit) : undefined)
  if (hold === undefined) return null
  const isOver = hold.kind === 'refused' || hold.kind === 'ended' || (left !== undefined && left <= 0)
  return (
    <Group gap="sm" mih={30} role="status">
      <Text size="sm" c={isOver ? 'red' : 'dimmed'}>
        {isOver ? lostText(hold) : keptText(hold, left)}
      </Text>
      {isOver && (
        <Button size="compact-sm" variant="default" onClick={onAgain}>
          Keep it again
        </Button>
      )}
    </Group>
  )
}

const lostText = (hold: Hold): string =>
  hold.kind === 'refused'
    ? `The time is not kept: ${hold.why}`
    : 'The time is not kept any more: somebody else may take it.'

function keptText(hold: Hold, left: number | undefined): string {
  if (hold.kind === 'asking') return 'The time is being kept.'
  return left === undefined ? 'The time is kept for you.' : `The time is kept for you for ${countdownText(left)}.`
}

/** In steps, so that a screen reader is not told every second: `4 minutes`, `30 seconds`. */
function countdownText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000)
  if (seconds > 60) return counted(Math.ceil(seconds / 60), 'minute')
  return seconds > 10 ? counted(Math.ceil(seconds / 10) * 10, 'second') : 'a few seconds'
}

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`

/** Milliseconds until an instant, which is looked at every second. */
function useLeft(end: string | undefined): number | undefined {
  useEvery(1_000, end !== undefined)
  return end === undefined ? undefined : Date.parse(end) - clinicNow()
}
