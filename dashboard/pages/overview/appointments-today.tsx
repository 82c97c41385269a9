/** Today's appointments, the next ones first. */

import { Text } from '@mantine/core'
import type { Appointment, Bundle, Patient } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import { useSearch } from '../../api/queries.ts'
import { includedIn, matchesIn } from '../../fhir/bundles.ts'
import { idOfType, patientName, referenceParts } from '../../fhir/names.ts'
import { clockText } from '../../fhir/time.ts'
import { LinkButton, LinkToPage, PlainLink } from '../../parts/links.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EVERY, LIST_HEIGHT, onDay, SHOWN, TAKING_PLACE, useToday } from './today.ts'

export function AppointmentsToday() {
  const { day, zone } = useToday()
  const query = useSearch(
    'Appointment',
    [...TAKING_PLACE, ...onDay(day, zone), ['_sort', 'date'], ['_count', '100'], ['_include', 'Appointment:patient']],
    { every: EVERY },
  )
  return (
    <Panel title="Appointments today" aside={<LinkToPage to="/schedule">Schedule</LinkToPage>} minHeight={LIST_HEIGHT}>
      <Loaded query={query} rows={SHOWN}>
        {(bundle) => <List bundle={bundle} zone={zone} />}
      </Loaded>
    </Panel>
  )
}

function List({ bundle, zone }: { readonly bundle: Bundle; readonly zone: string }) {
  const appointments = matchesIn<Appointment>(bundle)
  if (appointments.length === 0) {
    return (
      <Empty
        icon="calendar"
        title="Nobody is booked for today"
        action={
          <LinkButton size="xs" variant="default" to="/schedule">
            Open the schedule
          </LinkButton>
        }
      >
        Appointments are booked by phone, over FHIR, and on the schedule.
      </Empty>
    )
  }
  const patients = includedIn<Patient>(bundle, 'Patient')
  const toCome = appointments.filter(({ end }) => end !== undefined && Date.parse(end) > clinicNow())
  const shown = (toCome.length > 0 ? toCome : appointments).slice(0, SHOWN)
  return (
    <>
      {shown.map((appointment) => (
        <Row key={appointment.id} appointment={appointment} patients={patients} zone={zone} />
      ))}
      {appointments.length > shown.length && (
        <Text c="dimmed" mt="xs">
          and {appointments.length - shown.length} more
        </Text>
      )}
    </>
  )
}

interface RowProps {
  readonly appointment: Appointment
  readonly patients: readonly Patient[]
  readonly zone: string
}

function Row({ appointment, patients, zone }: RowProps) {
  const { start, participant, description } = appointment
  const actors = participant.map(({ actor }) => actor)
  const patient = idOfType(actors, 'Patient')
  const record = patients.find(({ id }) => id === patient)
  const shown = actors.find((actor) => referenceParts(actor?.reference)?.type === 'Patient') ?? actors[0]
  const name = record === undefined ? (shown?.display ?? 'Nobody is named') : patientName(record)
  const other = actors.find((actor) => referenceParts(actor?.reference)?.type === 'Practitioner')?.display
  const content = (
    <>
      <Text span className="number cut" c="dimmed" w={68} flex="none">
        {start !== undefined && clockText(start, zone)}
      </Text>
      <span className="two-lines">
        <bdi className="name cut">{name}</bdi>
        <Text span size="xs" c="dimmed" className="cut">
          <bdi>{[description, other].filter(Boolean).join(' · ')}</bdi>
        </Text>
      </span>
    </>
  )
  if (patient === undefined) return <div className="row list-row">{content}</div>
  return (
    <PlainLink className="row list-row" to={`/patients/${patient}`}>
      {content}
    </PlainLink>
  )
}
