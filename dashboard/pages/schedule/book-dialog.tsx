/** Books a free time for a patient, or for an entry of the waitlist. The time is held while the dialog is open. */
import { Button, Group, List, Modal, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { Appointment, Patient } from 'fhir/r4'
import { useMemo, useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { idOfType, referenceParts } from '../../fhir/names.ts'
import { clockText, dayOf, timeText } from '../../fhir/time.ts'
import { kindIn, kindsOf, type VisitKind } from '../../fhir/visit-kinds.ts'
import { patientOf } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PatientSearch } from '../../parts/patient-search.tsx'
import { FormError } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { FreeTimePicker } from './free-time-picker.tsx'
import { HoldNotice } from './hold-notice.tsx'
import { PatientNotice, useRecord } from './patient-notice.tsx'
import { Repeat } from './repeat.tsx'
import { type Missed, useBooking } from './use-booking.ts'
import { useFitting } from './use-fitting.ts'
import { useHold } from './use-hold.ts'
import type { Column } from './use-plan.ts'
import { type Rhythm, useOccurrences } from './use-repeat.ts'
import { useVisitActions } from './visit-actions.ts'

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
  const kinds = useMemo(() => kindsOf(columns.map(({ schedule }) => schedule)), [columns])
  const [chosen, setChosen] = useState(given)
  const [kind, setKind] = useState(() =>
    entry === undefined ? kinds.find(({ name }) => name === given?.type) : kindIn(kinds, entry),
  )
  const [own, setOwn] = useState<readonly string[]>([])
  const { time, tooShort } = useFitting(chosen, kind, { columns, own, zone: timeZone })
  const [isChoosing, setChoosing] = useState(given === undefined)
  const [found, setPatient] = useState(first?.patient)
  const patient = useRecord(found)
  const [said, setSaid] = useState({ description: '', comment: '' })
  const actions = useVisitActions()
  const { hold, again, held, forget } = useHold(time, columns, { ...actions, onAsk: setOwn })
  const [rhythm, setRhythm] = useState<Rhythm>()
  const [left, setLeft] = useState<readonly string[]>([])
  const [missed, setMissed] = useState<readonly Missed[]>()
  const occurrences = useOccurrences(time, rhythm, timeZone)
  const { error, isBusy, submit } = useBooking({
    ...{ time, patient, entry, onClose, held, forget },
    said: { description: said.description.trim(), comment: said.comment.trim(), kind },
    later: occurrences.flatMap(({ at, time: one }) => (one === undefined || left.includes(at) ? [] : one)),
    onRefused: () => setChoosing(true),
    onMissed: setMissed,
  })
  const { close, question } = useUnsaved(`${said.description}${said.comment}`.trim() !== '' && !isBusy, { onClose })
  if (missed !== undefined) return <MissedDialog missed={missed} onClose={onClose} />
  return (
    <Modal opened onClose={close} size="lg" title={<BookTitle entry={entry} />}>
      <form onSubmit={submit}>
        <Stack>
          {time !== undefined && <Chosen time={time} columns={columns} />}
          {!isBusy && <HoldNotice hold={hold} onAgain={again} />}
          {entry === undefined && kinds.length > 0 && <KindSelect kinds={kinds} value={kind} onChange={setKind} />}
          {tooShort !== undefined && (
            <Text size="sm" c="red" role="alert">
              {tooShort}
            </Text>
          )}
          {isChoosing || tooShort !== undefined ? (
            <FreeTimePicker
              columns={columns}
              first={firstLook({ given, entry, schedule: first?.schedule, columns }, timeZone)}
              minutes={entry?.minutesDuration}
              kind={kind}
              own={own}
              value={time}
              onChange={setChosen}
            />
          ) : (
            <Button variant="default" size="compact-sm" w="fit-content" onClick={() => setChoosing(true)}>
              Show free times
            </Button>
          )}
          {entry === undefined && (
            <>
              <PatientSearch label="Patient" value={found} onChange={setPatient} />
              <PatientNotice patient={patient} onInstead={setPatient} />
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
              <Repeat {...{ rhythm, occurrences, left }} onRhythm={setRhythm} onLeft={setLeft} />
            </>
          )}
          <FormError text={error} />
          {question}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
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

function BookTitle({ entry }: { readonly entry: Appointment | undefined }) {
  if (entry === undefined) return 'Book a visit'
  return (
    <>
      Book a visit for <bdi>{patientOf(entry, [])}</bdi>
    </>
  )
}

interface KindSelectProps {
  readonly kinds: readonly VisitKind[]
  readonly value: VisitKind | undefined
  readonly onChange: (kind: VisitKind | undefined) => void
}

const KindSelect = ({ kinds, value, onChange }: KindSelectProps) => (
  <NativeSelect
    label="Kind of visit"
    data={[
      { value: '', label: 'Any kind, one free time' },
      ...kinds.map((kind) => ({ value: kind.key, label: [kind.name, lengthText(kind)].filter(Boolean).join(', ') })),
    ]}
    value={value?.key ?? ''}
    onChange={({ currentTarget: { value: key } }) => onChange(kinds.find((kind) => kind.key === key))}
  />
)

/** `60 minutes`; `30 to 60 minutes` where practitioners differ. */
function lengthText({ minutes }: VisitKind): string {
  const lengths = [...minutes.values()].filter((length) => length !== undefined)
  if (lengths.length === 0) return ''
  const [least, most] = [Math.min(...lengths), Math.max(...lengths)]
  return least === most ? `${most} minutes` : `${least} to ${most} minutes`
}

interface Begun {
  readonly given: FreeTime | undefined
  readonly entry: Appointment | undefined
  readonly schedule: string | undefined
  readonly columns: readonly Column[]
}

/** The practitioner and the day whose free times are shown first: for an entry of the waitlist those that it wants. */
function firstLook({ given, entry, schedule, columns }: Begun, zone: string) {
  const from = given?.start ?? entry?.requestedPeriod?.[0]?.start
  const wanted = entry?.participant.map(({ actor }) => actor) ?? []
  const practitioner = idOfType(wanted, 'Practitioner')
  const column = columns.find(({ schedule: { actor } }) =>
    actor.some(({ reference }) => practitioner !== undefined && referenceParts(reference)?.id === practitioner),
  )
  return {
    who: given?.schedule ?? schedule ?? column?.id ?? '',
    from: from?.length === 10 ? from : dayOf(from ?? clinicNow(), zone),
  }
}

interface MissedDialogProps {
  readonly missed: readonly Missed[]
  readonly onClose: () => void
}

/** Lists the visits of a series that could not be booked. */
function MissedDialog({ missed, onClose }: MissedDialogProps) {
  const { timeZone } = useClinic()
  return (
    <Modal opened onClose={onClose} size="lg" title="Some visits are not booked">
      <Stack>
        <List size="sm" spacing="xs">
          {missed.map(({ time, why }) => (
            <List.Item key={time.start}>
              <b>{timeText(time.start, timeZone)}</b>: {why}
            </List.Item>
          ))}
        </List>
        <Button ml="auto" onClick={onClose}>
          Done
        </Button>
      </Stack>
    </Modal>
  )
}

function Chosen({ time, columns }: { readonly time: FreeTime; readonly columns: readonly Column[] }) {
  const { timeZone } = useClinic()
  const who = columns.find(({ id }) => id === time.schedule)
  return (
    <Text size="sm">
      <Text span fw={600} inherit>
        {timeText(time.start, timeZone)} to {clockText(time.end, timeZone)}
      </Text>{' '}
      with <bdi>{who?.label}</bdi>
      {who?.note ? `, ${who.note}` : ''}
    </Text>
  )
}
