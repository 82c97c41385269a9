/** The recent calls, those in progress first. */
import { Badge, Box, Text, UnstyledButton } from '@mantine/core'
import type { Bundle, Encounter, Patient } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { includedIn, matchesIn } from '../../fhir/bundles.ts'
import { callIdOf, callName, callNote } from '../../fhir/calls.ts'
import { patientName, referenceParts, statusText } from '../../fhir/names.ts'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/times.tsx'

interface CallListProps {
  readonly chosen: string
  readonly onChoose: (call: string) => void
}

const SHOWN = '8'

export const useCalls = () =>
  useSearch('Encounter', [
    ['class', 'VR'],
    ['_sort', '-_lastUpdated'],
    ['_count', SHOWN],
    ['_include', 'Encounter:patient'],
  ])

export function CallList(props: CallListProps) {
  const query = useCalls()
  return (
    <Loaded query={query} rows={3}>
      {(bundle) => <List bundle={bundle} {...props} />}
    </Loaded>
  )
}

function List({ bundle, chosen, onChoose }: CallListProps & { readonly bundle: Bundle }) {
  const calls = matchesIn<Encounter>(bundle)
  if (calls.length === 0) return null
  const patients = new Map(includedIn<Patient>(bundle, 'Patient').map((patient) => [patient.id, patient]))
  const inProgress = calls.filter(({ status }) => status === 'in-progress')
  const others = calls.filter(({ status }) => status !== 'in-progress')
  return (
    <Panel title="Calls">
      <Box component="ul" p={0} m={0}>
        {[...inProgress, ...others].map((call) => (
          <Row
            key={call.id}
            call={call}
            patient={patients.get(referenceParts(call.subject?.reference)?.id)}
            isChosen={callIdOf(call) === chosen}
            onChoose={onChoose}
          />
        ))}
      </Box>
    </Panel>
  )
}

interface RowProps {
  readonly call: Encounter
  /** Undefined where nobody is known yet. */
  readonly patient: Patient | undefined
  readonly isChosen: boolean
  readonly onChoose: (call: string) => void
}

function Row({ call, patient, isChosen, onChoose }: RowProps) {
  const { status, period } = call
  const id = callIdOf(call)
  return (
    <li className="row list-row">
      <Badge variant={status === 'in-progress' ? 'filled' : 'default'} size="sm" flex="none" w={92}>
        {statusText(status, { 'in-progress': 'on the line' })}
      </Badge>
      <UnstyledButton
        onClick={() => onChoose(id)}
        aria-pressed={isChosen}
        title={callNote(id)}
        className="cut"
        miw={0}
        flex={1}
      >
        <Text span fw={600} td={isChosen ? undefined : 'underline'}>
          <bdi>{nameOfCaller(patient)}</bdi>
        </Text>{' '}
        <Text span size="xs" c="dimmed">
          {callName(id)}
        </Text>
      </UnstyledButton>
      <Text c="dimmed" flex="none" visibleFrom="sm">
        <Time at={period?.start} />
      </Text>
      {patient !== undefined && <PageLink to={`/patients/${patient.id}`}>Record</PageLink>}
    </li>
  )
}

const nameOfCaller = (patient: Patient | undefined): string =>
  patient?.name === undefined ? 'Unknown caller' : patientName(patient)
