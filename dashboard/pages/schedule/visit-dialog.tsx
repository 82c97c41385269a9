/** One visit, and the actions on it. */
import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { conceptText } from '../../fhir/names.ts'
import { clockText, dayText, zoneText } from '../../fhir/time.ts'
import {
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
import { StatusBadge } from './status-badge.tsx'
import type { Column } from './use-plan.ts'
import { useVisitActions } from './visit-actions.ts'

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
  const confirmIt = () =>
    confirm(visit.id).then(onClose, (problem: unknown) => setError(problem instanceof Error ? problem.message : ''))
  return (
    <Modal opened onClose={onClose} title={<bdi>{visit.patient}</bdi>} size="md">
      <Stack>
        <Details visit={visit} columns={columns} />
        {error !== undefined && (
          <Alert color="red" role="alert" p="xs">
            {error}
          </Alert>
        )}
        <Group gap="xs">
          {mayConfirm(visit) && <Button onClick={confirmIt}>Confirm</Button>}
          {nextStatuses(visit).map((status, index) => (
            <Button key={status} variant={index === 0 ? 'filled' : 'default'} onClick={() => onBecome(status)}>
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
      </Stack>
    </Modal>
  )
}

function Details({ visit, columns }: { readonly visit: Visit; readonly columns: readonly Column[] }) {
  const { timeZone } = useClinic()
  const { start, end, patientId, schedule, heldUntil, appointment } = visit
  const { description, comment, appointmentType, serviceType } = appointment
  const types = [appointmentType, ...(serviceType ?? [])].map(conceptText).filter(Boolean)
  const patient = patientId && <PageLink to={`/patients/${patientId}`}>Open the record</PageLink>
  return (
    <Facts
      facts={[
        [
          'When',
          `${dayText(start, timeZone)}, ${clockText(start, timeZone)} to ${clockText(end, timeZone)} (${zoneText(timeZone, start)})`,
        ],
        ['With', <bdi key="who">{columns.find(({ id }) => id === schedule)?.label ?? 'nobody of this list'}</bdi>],
        ['Status', <StatusBadge key="status" status={visit.status} />],
        ['Held until', heldUntil && clockText(heldUntil, timeZone)],
        ['Type', types.join(', ')],
        ['Reason', description && <bdi>{description}</bdi>],
        ['Comment', comment && <bdi>{comment}</bdi>],
        ['Patient', patient],
      ]}
    />
  )
}
