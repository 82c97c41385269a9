/** One visit, and the actions on it. */
import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import { useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { errorText } from '../../api/problem.ts'
import { useGet } from '../../api/queries.ts'
import { conceptText, telecomOf } from '../../fhir/names.ts'
import { bornText } from '../../fhir/patients.ts'
import { clockText, timeText, zoneText } from '../../fhir/time.ts'
import {
  arrivalFrom,
  mayArrive,
  mayCancel,
  mayConfirm,
  mayMove,
  nextStatuses,
  type Visit,
  type VisitStatus,
  visitStatusText,
} from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Facts } from '../../parts/facts.tsx'
import { LinkButton, PageLink } from '../../parts/links.tsx'
import { FormError } from '../../parts/sign-in.tsx'
import { StatusBadge } from './status-badge.tsx'
import type { Column } from './use-plan.ts'
import { useVisitActions } from './visit-actions.ts'
import { VisitStory } from './visit-story.tsx'

interface VisitDialogProps {
  readonly visit: Visit
  readonly columns: readonly Column[]
  readonly onBecome: (status: VisitStatus) => void
  readonly onMove: () => void
  readonly onCancel: () => void
  readonly onClose: () => void
}

const VERBS: Partial<Record<VisitStatus, string>> = {
  arrived: 'Has arrived',
  'checked-in': 'Check in',
  fulfilled: 'Is done',
  noshow: 'No-show',
}

export function VisitDialog({ visit, columns, onBecome, onMove, onCancel, onClose }: VisitDialogProps) {
  const [error, setError] = useState<string>()
  const { confirm } = useVisitActions()
  const isTooEarly = !mayArrive(visit, clinicNow())
  const confirmIt = () => confirm(visit.id).then(onClose, (problem: unknown) => setError(errorText(problem)))
  return (
    <Modal opened onClose={onClose} title={<bdi>{visit.patient}</bdi>} size="lg">
      <Stack>
        <Details visit={visit} columns={columns} />
        <FormError text={error} />
        <Group gap="xs">
          {mayConfirm(visit) && <Button onClick={confirmIt}>Confirm</Button>}
          {nextStatuses(visit).map((status, index) => (
            <Button
              key={status}
              variant={index === 0 ? 'filled' : 'default'}
              disabled={status === 'arrived' && isTooEarly}
              onClick={() => onBecome(status)}
            >
              {VERBS[status] ?? visitStatusText(status)}
            </Button>
          ))}
          {mayMove(visit) && (
            <Button variant="default" onClick={onMove}>
              Move…
            </Button>
          )}
          <LinkButton variant="default" to={`/schedule/slip/${visit.id}`}>
            Print…
          </LinkButton>
          {mayCancel(visit) && (
            <Button variant="default" onClick={onCancel}>
              Cancel the visit…
            </Button>
          )}
        </Group>
        {isTooEarly && nextStatuses(visit).includes('arrived') && <ArrivalNote visit={visit} />}
        <VisitStory id={visit.id} />
      </Stack>
    </Modal>
  )
}

function ArrivalNote({ visit }: { readonly visit: Visit }) {
  const { timeZone } = useClinic()
  const from = new Date(arrivalFrom(visit)).toISOString()
  return (
    <Text size="sm" c="dimmed">
      “Has arrived” can be set from two hours before the visit: {timeText(from, timeZone)}.
    </Text>
  )
}

function Details({ visit, columns }: { readonly visit: Visit; readonly columns: readonly Column[] }) {
  const { timeZone } = useClinic()
  const { start, end, patientId, schedule, heldUntil, appointment } = visit
  const { description, comment, appointmentType, serviceType, reasonCode = [] } = appointment
  const types = [appointmentType, ...(serviceType ?? [])].map(conceptText).filter(Boolean)
  const reason = [description, ...reasonCode.map(conceptText)].filter(Boolean).join(', ')
  const { data: patient } = useGet<Patient>(`Patient/${patientId}`, { enabled: patientId !== undefined })
  const phone = telecomOf(patient?.telecom, 'phone')
  const born = bornText(patient?.birthDate, clinicNow(), timeZone)
  return (
    <Facts
      facts={[
        ['When', `${timeText(start, timeZone)} to ${clockText(end, timeZone)} (${zoneText(timeZone, start)})`],
        ['With', <bdi key="who">{columns.find(({ id }) => id === schedule)?.label ?? 'nobody of this list'}</bdi>],
        ['Status', <StatusBadge key="status" status={visit.status} />],
        ['Held until', heldUntil && clockText(heldUntil, timeZone)],
        ['Kind', types.length > 0 && <bdi>{types.join(', ')}</bdi>],
        ['Reason', reason && <bdi>{reason}</bdi>],
        ['Comment', comment && <bdi>{comment}</bdi>],
        // These have their places before the record is read, so that nothing moves.
        ['Phone', patientId && (phone === '' ? <Unknown isRead={patient !== undefined} /> : <Phone number={phone} />)],
        ['Born', patientId && (born || <Unknown isRead={patient !== undefined} />)],
        ['Patient', patientId && <PageLink to={`/patients/${patientId}`}>Open the record</PageLink>],
      ]}
    />
  )
}

const Phone = ({ number }: { readonly number: string }) => (
  <Anchor href={`tel:${number.replace(/[^+\d]/g, '')}`} inherit>
    {number}
  </Anchor>
)

const Unknown = ({ isRead }: { readonly isRead: boolean }) => (
  <Text span inherit c="dimmed">
    {isRead ? 'not known' : '…'}
  </Text>
)
