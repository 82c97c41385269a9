/** Blocks time of a practitioner, with the reason: each visit in it is moved or cancelled, or stays. */
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { availabilityOf } from '../../fhir/availability.ts'
import { hoursOn } from '../../fhir/open-hours.ts'
import { dayOf, fieldTimeOf, wallTime } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FormError } from '../../parts/sign-in.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { BlockedVisits } from './blocked-visits.tsx'
import { PractitionerSelect } from './practitioner-select.tsx'
import { useBlock } from './use-block.ts'
import type { Column } from './use-plan.ts'

interface BlockDialogProps {
  /** Practitioners; the ones with working hours are offered. */
  readonly columns: readonly Column[]
  /** Schedule.id shown first. */
  readonly first: string
  readonly day: string
  readonly onClose: () => void
}

/** `2026-11-24T13:00`, as the field has it. */
interface Times {
  readonly from: string
  readonly until: string
}

export function BlockDialog({ columns, first, day, onClose }: BlockDialogProps) {
  const { timeZone: zone } = useClinic()
  const working = columns.filter(({ schedule }) => availabilityOf(schedule) !== undefined)
  const [who, setWho] = useState(working.find(({ id }) => id === first)?.id ?? working[0]?.id ?? '')
  const timesFrom = (start: string) =>
    timesOf(
      working.find(({ id }) => id === who),
      day,
      { zone, start },
    )
  const [times, setTimes] = useState<Times>(() => timesFrom('12:00'))
  const [reason, setReason] = useState('')
  const instant = (naive: string) => (naive === '' ? '' : wallTime(`${naive}:00`, zone))
  const span = { start: instant(times.from), end: instant(times.until) }
  const block = useBlock({ columns, schedule: who, span, reason: reason.trim(), onClose })
  const isTyped = reason.trim() !== '' && !block.isBlocked && !block.isBusy
  const { close, question } = useUnsaved(isTyped, { onClose: block.close })
  return (
    <Modal opened onClose={close} title="Block time" size="lg">
      <form onSubmit={block.submit}>
        <Stack>
          {working.length === 0 && <Alert p="xs">Nobody has working hours yet, of which time could be taken.</Alert>}
          <fieldset disabled={block.isBlocked} style={{ border: 0, margin: 0, padding: 0 }}>
            <Stack gap="sm">
              <Group>
                <PractitionerSelect columns={working} value={who} isRequired onChange={setWho} />
              </Group>
              <Group gap="sm" align="end">
                <Field label="From" value={times.from} onChange={(from) => setTimes({ ...times, from })} />
                <Field label="Until" value={times.until} onChange={(until) => setTimes({ ...times, until })} />
                <Button variant="default" onClick={() => setTimes(timesFrom('12:00'))}>
                  The afternoon
                </Button>
                <Button variant="default" onClick={() => setTimes(timesFrom(''))}>
                  The whole day
                </Button>
              </Group>
              <TextInput
                label="Reason"
                description="Staff see it in the schedule. Patients are not told the reason."
                required
                maxLength={200}
                data-autofocus
                value={reason}
                onChange={({ currentTarget: { value } }) => setReason(value)}
              />
            </Stack>
          </fieldset>
          <BlockedVisits block={block} columns={columns} />
          <FormError text={block.error} />
          {question}
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              <ZoneNote />
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={close}>
                {block.isBlocked ? 'Close' : 'Leave it'}
              </Button>
              <Button type="submit" loading={block.isBusy} disabled={who === '' || block.isPending}>
                {block.isBlocked ? 'Try again' : 'Block the time'}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

const Field = ({ label, value, onChange }: FieldProps) => (
  <TextInput
    type="datetime-local"
    label={label}
    required
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
)

/** From a time of the day, or from now on where that is later, to the end of the hours. */
function timesOf(
  column: Column | undefined,
  day: string,
  { zone, start }: { readonly zone: string; readonly start: string },
): Times {
  const hours = column && availabilityOf(column.schedule)
  const open = hours === undefined ? [] : hoursOn(hours, day, zone).open
  const begins = open.map((span) => fieldTimeOf(span.start, zone)).sort()[0] ?? `${day}T09:00`
  const ends =
    open
      .map((span) => fieldTimeOf(span.end, zone))
      .sort()
      .at(-1) ?? `${day}T17:00`
  const wanted = start === '' ? begins : `${day}T${start}`
  const now = clinicNow()
  const isToday = day === dayOf(now, zone)
  const soon = fieldTimeOf(Math.ceil(now / 300_000) * 300_000, zone)
  return { from: isToday && start !== '' && soon > wanted && soon < ends ? soon : wanted, until: ends }
}
