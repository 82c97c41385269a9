/** Today's appointments, the next ones first. */

import { Group, Stack, Text } from '@mantine/core'
import type { Appointment } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { idOfType, referenceParts } from '../../fhir/names.ts'
import { clockText } from '../../fhir/time.ts'
import { LinkToPage, PageLink } from '../../parts/links.tsx'
import { Empty, heightOfRows, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EVERY, onDay, SHOWN, TAKING_PLACE, useToday } from './today.ts'

export function AppointmentsToday() {
  const { day, zone } = useToday()
  const query = useSearch('Appointment', [...TAKING_PLACE, ...onDay(day, zone), ['_sort', 'date'], ['_count', '100']], {
    every: EVERY,
  })
  return (
    <Panel
      title="Appointments today"
      aside={<LinkToPage to="/schedule">Schedule</LinkToPage>}
      minHeight={heightOfRows(SHOWN)}
    >
      <Loaded query={query} rows={SHOWN}>
        {(bundle) => <List appointments={matchesIn<Appointment>(bundle)} zone={zone} />}
      </Loaded>
    </Panel>
  )
}

function List({ appointments, zone }: { readonly appointments: readonly Appointment[]; readonly zone: string }) {
  if (appointments.length === 0) {
    return (
      <Empty icon="calendar" title="Nobody is booked for today">
        Appointments are booked by phone, over FHIR, and on the schedule.
      </Empty>
    )
  }
  const toCome = appointments.filter(({ end }) => end !== undefined && Date.parse(end) > clinicNow())
  const shown = (toCome.length > 0 ? toCome : appointments).slice(0, SHOWN)
  return (
    <Stack gap={6}>
      {shown.map((appointment) => (
        <Row key={appointment.id} appointment={appointment} zone={zone} />
      ))}
      {appointments.length > shown.length && (
        <Text size="sm" c="dimmed">
          and {appointments.length - shown.length} more
        </Text>
      )}
    </Stack>
  )
}

function Row({ appointment, zone }: { readonly appointment: Appointment; readonly zone: string }) {
  const { start, participant, description } = appointment
  const actors = participant.map(({ actor }) => actor)
  const patient = idOfType(actors, 'Patient')
  const name =
    actors.find((actor) => referenceParts(actor?.reference)?.type === 'Patient')?.display ?? actors[0]?.display
  const other = actors.find((actor) => referenceParts(actor?.reference)?.type === 'Practitioner')?.display
  return (
    <Group gap="sm" wrap="nowrap">
      <Text size="sm" className="number cut" fw={600} w={72} flex="none">
        {start !== undefined && clockText(start, zone)}
      </Text>
      <Text size="sm" className="cut" flex={1} miw={0}>
        {patient === undefined ? <bdi>{name}</bdi> : <PageLink to={`/patients/${patient}`}>{name ?? patient}</PageLink>}
        {description !== undefined && <Text span inherit c="dimmed">{` ${description}`}</Text>}
      </Text>
      <Text size="sm" c="dimmed" className="cut" maw="40%">
        {other}
      </Text>
    </Group>
  )
}
