/** Cancels a visit, with the reason. */
import { Button, Group, Modal, Radio, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { timeText } from '../../fhir/time.ts'
import type { Visit } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { pathOf, useVisitActions } from './visit-actions.ts'

/** https://terminology.hl7.org/CodeSystem-appointment-cancellation-reason.html */
const REASONS = [
  { code: 'pat', text: 'The patient cannot come' },
  { code: 'pat-fb', text: 'The patient feels better' },
  { code: 'prov', text: 'The clinic cannot keep it' },
  { code: 'prov-pers', text: 'The practitioner is away' },
  { code: 'oth-err', text: 'It was booked by mistake' },
  { code: 'other', text: 'Something else' },
]

export function CancelDialog({ visit, onClose }: { readonly visit: Visit; readonly onClose: () => void }) {
  const { timeZone } = useClinic()
  const [code, setCode] = useState('pat')
  const [comment, setComment] = useState('')
  const actions = useVisitActions()
  const { error, isBusy, submit } = useSubmit(async () => {
    const cancelled = await actions.cancel(visit.id, { code, comment: comment.trim() })
    onClose()
    if (visit.status === 'booked') {
      offerUndo(`The visit of ${visit.patient} is cancelled.`, {
        things: [pathOf(visit.id)],
        undo: () => actions.bookAgain(cancelled),
      })
    }
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <>
          Cancel the visit of <bdi>{visit.patient}</bdi>
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <Radio.Group label={`${timeText(visit.start, timeZone)}. Why?`} value={code} onChange={setCode}>
            <Stack gap={6} mt={6}>
              {REASONS.map((reason) => (
                <Radio key={reason.code} value={reason.code} label={reason.text} />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            label="Comment"
            autosize
            minRows={2}
            value={comment}
            onChange={({ currentTarget: { value } }) => setComment(value)}
          />
          <FormError text={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Keep the visit
            </Button>
            <Button type="submit" color="red" loading={isBusy}>
              Cancel the visit
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
