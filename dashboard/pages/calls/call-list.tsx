/** The recent calls, those in progress first. */
import { Badge, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { Encounter } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { callIdOf, callName, callNote } from '../../fhir/calls.ts'
import { referenceParts, statusText } from '../../fhir/names.ts'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/times.tsx'

interface CallListProps {
  readonly chosen: string
  readonly onChoose: (call: string) => void
}

const SHOWN = '8'

export function CallList(props: CallListProps) {
  const query = useSearch('Encounter', [
    ['class', 'VR'],
    ['_sort', '-_lastUpdated'],
    ['_count', SHOWN],
  ])
  return (
    <Loaded query={query} rows={3}>
      {(bundle) => <List calls={matchesIn<Encounter>(bundle)} {...props} />}
    </Loaded>
  )
}

function List({ calls, chosen, onChoose }: CallListProps & { readonly calls: readonly Encounter[] }) {
  if (calls.length === 0) return null
  const inProgress = calls.filter(({ status }) => status === 'in-progress')
  const others = calls.filter(({ status }) => status !== 'in-progress')
  return (
    <Panel title="Calls">
      <Stack gap={4} component="ul" p={0} m={0}>
        {[...inProgress, ...others].map((call) => (
          <Row key={call.id} call={call} isChosen={callIdOf(call) === chosen} onChoose={onChoose} />
        ))}
      </Stack>
    </Panel>
  )
}

interface RowProps {
  readonly call: Encounter
  readonly isChosen: boolean
  readonly onChoose: (call: string) => void
}

function Row({ call, isChosen, onChoose }: RowProps) {
  const { status, period, subject } = call
  const id = callIdOf(call)
  const patient = referenceParts(subject?.reference)
  return (
    <Group component="li" gap="sm" wrap="nowrap" style={{ listStyle: 'none' }}>
      <Badge variant={status === 'in-progress' ? 'filled' : 'default'} size="sm" flex="none" w={92}>
        {statusText(status, { 'in-progress': 'on the line' })}
      </Badge>
      <UnstyledButton onClick={() => onChoose(id)} aria-pressed={isChosen} title={callNote(id)} miw={0} flex={1}>
        <Text size="sm" className="cut mono" fw={isChosen ? 700 : 400} td="underline">
          {callName(id)}
        </Text>
      </UnstyledButton>
      <Text size="sm" c="dimmed" className="cut" flex="none" visibleFrom="sm">
        <Time at={period?.start} />
      </Text>
      {patient?.type === 'Patient' && (
        <Text size="sm" flex="none">
          <PageLink to={`/patients/${patient.id}`}>{subject?.display ?? 'patient'}</PageLink>
        </Text>
      )}
    </Group>
  )
}
