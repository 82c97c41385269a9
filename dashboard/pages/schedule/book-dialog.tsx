/** Books a free time for a patient, or for an entry of the waitlist. */
import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { Appointment, Patient } from 'fhir/r4'
import { useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { patientName } from '../../fhir/names.ts'
import { clockText, dayOf, dayText } from '../../fhir/time.ts'
import { patientOf } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PatientSearch } from '../../parts/patient-search.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { FreeTimePicker } from './free-time-picker.tsx'
import type { Column } from './use-plan.ts'
import { pathOf, useVisitActions } from './visit-actions.ts'

interface BookDialogProps {
  /** Absent: it is chosen here. */
  readonly time: FreeTime | undefined
  readonly entry: Appointment | undefined
  /** Filled in at first. */
  readonly first?: { readonly patient?: Patient | undefined; readonly schedule?: string | undefined }
  readonly columns: readonly Column[]
  readonly onClose: () => void
}

export function BookDialog({ time: given, entry, first, columns, onClose }: BookDialogProps) {
  const { timeZone } = useClinic()
  const [time, setTime] = useState(given)
  const [isChoosing, setChoosing] = useState(given === undefined)
  const [patient, setPatient] = useState(first?.patient)
  const [said, setSaid] = useState({ description: '', comment: '' })
  const { error, isBusy, submit } = useBooking({ time, patient, entry, said, onClose })
  const name = entry === undefined ? '' : patientOf(entry, [])
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={
        entry === undefined ? (
          'Book a visit'
        ) : (
          <>
            Book a visit for <bdi>{name}</bdi>
          </>
        )
      }
    >
      <form onSubmit={submit}>
        <Stack>
          {time !== undefined && <Chosen time={time} columns={columns} />}
          {isChoosing ? (
            <FreeTimePicker
              columns={columns}
              first={{
                who: given?.schedule ?? first?.schedule ?? '',
                from: dayOf(given?.start ?? clinicNow(), timeZone),
              }}
              minutes={entry?.minutesDuration}
              value={time}
              onChange={setTime}
            />
          ) : (
            <Button variant="default" size="compact-sm" w="fit-content" onClick={() => setChoosing(true)}>
              Show free times
            </Button>
          )}
          {entry === undefined && (
            <>
              <PatientSearch label="Patient" value={patient} onChange={setPatient} />
              <TextInput
                label="Reason"
                value={said.description}
                onChange={({ currentTarget: { value } }) => setSaid({ ...said, description: value })}
              />
              <Textarea
                label="Comment"
                autosize
                minRows={2}
                value={said.comment}
                onChange={({ currentTarget: { value } }) => setSaid({ ...said, comment: value })}
              />
            </>
          )}
          <FormError text={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Not now
            </Button>
            <Button type="submit" loading={isBusy} disabled={time === undefined}>
              Book
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface Booking {
  readonly time: FreeTime | undefined
  readonly patient: Patient | undefined
  readonly entry: Appointment | undefined
  readonly said: { readonly description: string; readonly comment: string }
  readonly onClose: () => void
}

function useBooking({ time, patient, entry, said, onClose }: Booking) {
  const { timeZone } = useClinic()
  const actions = useVisitActions()
  return useSubmit(async () => {
    if (time === undefined) throw new Error('Choose a free time.')
    if (entry !== undefined) {
      await actions.bookEntry(time, entry)
      onClose()
      return
    }
    if (patient === undefined)
      throw new Error('Choose a patient: type a part of the name, and take one of those found.')
    const booked = await actions.book(time, patient, {
      description: said.description.trim(),
      comment: said.comment.trim(),
    })
    onClose()
    const when = `${dayText(time.start, timeZone)}, ${clockText(time.start, timeZone)}`
    const id = booked.id ?? ''
    const cancellation = { code: 'prov', comment: 'Taken back at once' }
    offerUndo(`${patientName(patient)} is booked on ${when}.`, {
      things: [pathOf(id)],
      undo: () => actions.cancel(id, cancellation, booked.meta?.versionId),
    })
  })
}

function Chosen({ time, columns }: { readonly time: FreeTime; readonly columns: readonly Column[] }) {
  const { timeZone } = useClinic()
  const who = columns.find(({ id }) => id === time.schedule)
  return (
    <Text size="sm">
      <Text span fw={600} inherit>
        {dayText(time.start, timeZone)}, {clockText(time.start, timeZone)} to {clockText(time.end, timeZone)}
      </Text>{' '}
      with <bdi>{who?.label}</bdi>
      {who?.note ? `, ${who.note}` : ''}
    </Text>
  )
}
