/** The head of a call: who called whom, when and how it ended, and the tasks and visits that came of it. */
import { Stack, Text } from '@mantine/core'
import type { Appointment, Patient, Task } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import { useGet, useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { patientName, referenceParts, statusText } from '../../fhir/names.ts'
import { phoneText } from '../../fhir/phones.ts'
import { taskTitle } from '../../fhir/tasks.ts'
import { dayOf, durationText, timeText } from '../../fhir/time.ts'
import { visitStatusText } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Time } from '../../parts/times.tsx'
import type { ShownCall } from './use-call.ts'

export function CallHead({ call }: { readonly call: ShownCall }) {
  const { recording, encounter, endedAt } = call
  const start = [encounter?.period?.start, recording.log[0]?.sent].filter(Boolean).sort()[0]
  const patient = referenceParts(encounter?.subject?.reference)?.id ?? call.patient
  const length = start === undefined ? undefined : (Date.parse(endedAt ?? '') || clinicNow()) - Date.parse(start)
  const facts: readonly Fact[] = [
    ['From', numberText(recording.callerNumber, call.isKept, 'a withheld number')],
    ['To', numberText(recording.dialedNumber, call.isKept, 'none was named')],
    ['Patient', patient !== undefined && <PatientLink key="patient" id={patient} />],
    ['Began', start !== undefined && <Time key="start" at={start} />],
    ['Length', length !== undefined && durationText(length)],
    ['Outcome', outcomeText(call)],
    ['Tasks', <Outcomes key="tasks" call={call} type="Task" />],
    ['Visits', <Outcomes key="visits" call={call} type="Appointment" />],
  ]
  return <Facts facts={facts} />
}

function outcomeText({ recording, encounter, isKept }: ShownCall): string {
  if (recording.hasEnded) return recording.endReason ?? 'Ended'
  return isKept || encounter?.status === 'in-progress' ? 'On the line' : NOT_KEPT
}

const NOT_KEPT = 'not kept any more'

const numberText = (number: string | undefined, isKept: boolean, none: string): string =>
  number === undefined ? (isKept ? none : NOT_KEPT) : phoneText(number)

/** Keeps the line of a text that is being read. */
const NOTHING_YET = '\u00a0'

function PatientLink({ id }: { readonly id: string }) {
  const { data, isPending } = useGet<Patient>(`Patient/${id}`)
  // An id may be longer than a name, and take more lines.
  if (isPending) return NOTHING_YET
  return (
    <PageLink to={`/patients/${id}`}>
      <bdi>{data === undefined ? id : patientName(data)}</bdi>
    </PageLink>
  )
}

interface OutcomesProps {
  readonly call: ShownCall
  readonly type: 'Task' | 'Appointment'
}

/** The resources of the type that the call has written, as they are now. */
function Outcomes({ call: { turns, otherWrites }, type }: OutcomesProps) {
  const writes = [...turns.flatMap((turn) => turn.writes), ...otherWrites]
  const ids = [...new Set(writes.filter((write) => write.type === type).map(({ id }) => id))]
  const query = useSearch(
    type,
    [
      ['_id', ids.join(',')],
      ['_count', '100'],
    ],
    { enabled: ids.length > 0 },
  )
  if (ids.length === 0) return <Text size="sm">None</Text>
  if (query.isPending) return ids.map((id) => <Text key={id}>{NOTHING_YET}</Text>)
  const found = query.data === undefined ? [] : matchesIn<Task | Appointment>(query.data)
  return (
    <Stack gap={4}>
      {ids.map((id) => (
        <Outcome key={id} id={id} type={type} resource={found.find((one) => one.id === id)} />
      ))}
    </Stack>
  )
}

interface OutcomeProps {
  readonly id: string
  readonly type: string
  /** Undefined until it is read, and where it has been deleted. */
  readonly resource: Task | Appointment | undefined
}

function Outcome({ id, type, resource }: OutcomeProps) {
  const { timeZone } = useClinic()
  if (resource?.resourceType === 'Task')
    return (
      <Text size="sm">
        <PageLink to="/work-list" search={{ task: id }}>
          {taskTitle(resource)}
        </PageLink>{' '}
        ({statusText(resource.status)})
      </Text>
    )
  const { start = '', status } = resource ?? {}
  if (resource === undefined || start === '')
    return (
      <Text size="sm">
        <PageLink to="/explorer" search={{ path: `${type}/${id}` }}>
          {resource === undefined ? `${type}/${id}` : visitStatusText(resource.status)}
        </PageLink>
      </Text>
    )
  return (
    <Text size="sm">
      <PageLink to="/schedule" search={{ day: dayOf(start, timeZone) }}>
        {timeText(start, timeZone)}
      </PageLink>{' '}
      ({visitStatusText(status as Appointment['status'])})
    </Text>
  )
}
