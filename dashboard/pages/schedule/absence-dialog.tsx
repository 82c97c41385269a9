/** Time in which a practitioner is away, with its reason; it can be taken back. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { readAnew } from '../../api/read-anew.ts'
import type { Absence } from '../../fhir/availability.ts'
import { timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { addAbsence, removeAbsence } from './absences.ts'
import type { Column } from './use-plan.ts'

interface AbsenceDialogProps {
  readonly column: Column
  readonly absence: Absence
  readonly onClose: () => void
}

export function AbsenceDialog({ column, absence, onClose }: AbsenceDialogProps) {
  const { timeZone: zone } = useClinic()
  const client = useQueryClient()
  const refresh = () => readAnew(client, 'Schedule', 'Slot')
  const { error, isBusy, submit } = useSubmit(async () => {
    await removeAbsence(column.id, absence)
    await refresh()
    onClose()
    offerUndo(`“${reasonOf(absence)}” is taken back; its time is free again.`, {
      things: [`Schedule/${column.id}`],
      undo: () => addAbsence(column.id, absence).then(refresh),
    })
  })
  return (
    <Modal opened onClose={onClose} title={<bdi>{reasonOf(absence)}</bdi>}>
      <form onSubmit={submit}>
        <Stack>
          <Facts
            facts={[
              ['Who', <bdi key="who">{column.label}</bdi>],
              ['From', timeText(absence.start, zone)],
              ['Until', `${timeText(absence.end, zone)}${absence.end.includes('T') ? '' : ', that day too'}`],
            ]}
          />
          <FormError text={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Leave it
            </Button>
            <Button type="submit" loading={isBusy}>
              Take it back
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const reasonOf = ({ description }: Absence): string => description || 'Away'
