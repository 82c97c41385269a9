/** The appointments of a patient, the latest first. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { Appointment, Patient } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { conceptText, referenceParts, statusText } from '../../fhir/names.ts'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Time, ZoneNote } from '../../parts/times.tsx'

export function Appointments({ patient }: { readonly patient: Patient }) {
  const query = useSearch('Appointment', [
    ['patient', patient.id ?? ''],
    ['_sort', '-date'],
    ['_count', '100'],
  ])
  return <Loaded query={query}>{(bundle) => <List appointments={matchesIn<Appointment>(bundle)} />}</Loaded>
}

function List({ appointments }: { readonly appointments: readonly Appointment[] }) {
  if (appointments.length === 0) {
    return (
      <Empty icon="calendar" title="No appointments">
        They are booked by phone, over FHIR, and by “Book a visit…” above.
      </Empty>
    )
  }
  return (
    <Stack gap="xs">
      {appointments.map((appointment) => (
        <Row key={appointment.id} appointment={appointment} />
      ))}
      <Text size="sm" c="dimmed">
        <ZoneNote />
      </Text>
    </Stack>
  )
}

function Row({ appointment }: { readonly appointment: Appointment }) {
  const { start, status, description, appointmentType, participant, cancelationReason } = appointment
  const practitioner = participant.find(({ actor }) => referenceParts(actor?.reference)?.type === 'Practitioner')
  const why = conceptText(cancelationReason)
  return (
    <Group className="card" px="md" py="xs" gap="md" justify="space-between">
      <Text size="sm" fw={600} miw={210}>
        <Time at={start} />
      </Text>
      <Text size="sm" flex="1 1 160px">
        <bdi>{[description ?? conceptText(appointmentType), why].filter(Boolean).join(' · ')}</bdi>
      </Text>
      <Text size="sm" c="dimmed">
        {practitioner?.actor?.display}
      </Text>
      <Badge variant="default">{statusText(status)}</Badge>
    </Group>
  )
}
