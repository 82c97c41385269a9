/** The appointments of a patient, the latest first. */
import { Badge, Table } from '@mantine/core'
import type { Appointment, Patient } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { conceptText, referenceParts } from '../../fhir/names.ts'
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
        They are booked by phone, over FHIR, and on the schedule.
      </Empty>
    )
  }
  return (
    <Table.ScrollContainer minWidth={520} className="card" px="sm">
      <Table captionSide="bottom">
        <Table.Caption>
          <ZoneNote />
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>What for</Table.Th>
            <Table.Th>With</Table.Th>
            <Table.Th>Status</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {appointments.map(({ id, start, status, description, appointmentType, participant, cancelationReason }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Time at={start} />
              </Table.Td>
              <Table.Td>{description ?? conceptText(appointmentType)}</Table.Td>
              <Table.Td>
                {participant.find(({ actor }) => referenceParts(actor?.reference)?.type === 'Practitioner')?.actor?.display}
              </Table.Td>
              <Table.Td>
                <Badge variant="default" title={conceptText(cancelationReason)}>
                  {status}
                </Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
