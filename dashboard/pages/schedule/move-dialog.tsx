/** Moves a visit without a mouse: the same as dragging it. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { FreeTime } from '../../fhir/free-times.ts'
import { clockText, dayOf, dayText, timeText } from '../../fhir/time.ts'
import type { Visit } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FreeTimePicker } from './free-time-picker.tsx'
import type { Column } from './use-plan.ts'

interface MoveDialogProps {
  readonly visit: Visit
  readonly columns: readonly Column[]
  /** Moves the visit, and informs the user of the outcome itself. */
  readonly onMove: (time: FreeTime) => Promise<void>
  readonly onClose: () => void
}

export function MoveDialog({ visit, columns, onMove, onClose }: MoveDialogProps) {
  const { timeZone } = useClinic()
  const [time, setTime] = useState<FreeTime>()
  const move = () => {
    if (time === undefined) return
    onClose()
    void onMove(time)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={
        <>
          Move the visit of <bdi>{visit.patient}</bdi>
        </>
      }
    >
      <Stack>
        <Text size="sm">
          It is on {dayText(visit.start, timeZone)} at {clockText(visit.start, timeZone)}, and takes {visit.minutes}{' '}
          minutes.
        </Text>
        <FreeTimePicker
          columns={columns}
          first={{ who: visit.schedule ?? '', from: dayOf(visit.start, timeZone) }}
          minutes={visit.minutes}
          value={time}
          onChange={setTime}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button disabled={time === undefined} onClick={move}>
            {time === undefined ? 'Move' : `Move to ${timeText(time.start, timeZone)}`}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
