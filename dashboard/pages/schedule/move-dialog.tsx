/** Moves a visit without a mouse: the same as dragging it. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { FreeTime } from '../../fhir/free-times.ts'
import { clockText, dayOf, dayText, timeText } from '../../fhir/time.ts'
import type { Visit } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { FreeTimePicker } from './free-time-picker.tsx'
import type { Column } from './use-plan.ts'

interface MoveDialogProps {
  readonly visit: Visit
  readonly columns: readonly Column[]
  /** Moves the visit. @throws the refusal */
  readonly onMove: (time: FreeTime) => Promise<void>
  readonly onClose: () => void
}

export function MoveDialog({ visit, columns, onMove, onClose }: MoveDialogProps) {
  const { timeZone } = useClinic()
  const [time, setTime] = useState<FreeTime>()
  const { error, isBusy, submit } = useSubmit(async () => {
    if (time === undefined) return
    await onMove(time)
    onClose()
  })
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
      <form onSubmit={submit}>
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
          <FormError text={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Leave it
            </Button>
            <Button type="submit" disabled={time === undefined} loading={isBusy}>
              {time === undefined ? 'Move' : `Move to ${timeText(time.start, timeZone)}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
