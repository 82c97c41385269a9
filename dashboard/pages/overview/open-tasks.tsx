/** The open Tasks, the most urgent first. */

import { Badge, Group, Stack, Text } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { referenceParts, referenceText } from '../../fhir/names.ts'
import { dueOf, OPEN_STATUSES, taskTitle } from '../../fhir/tasks.ts'
import { relativeText } from '../../fhir/time.ts'
import { LinkToPage, PageLink } from '../../parts/links.tsx'
import { Empty, heightOfRows, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EVERY, SHOWN } from './today.ts'

export function OpenTasks() {
  const query = useSearch(
    'Task',
    [
      ['status', OPEN_STATUSES],
      ['_sort', '-priority,authored-on'],
      ['_count', String(SHOWN)],
    ],
    { every: EVERY },
  )
  return (
    <Panel
      title="Most urgent tasks"
      aside={<LinkToPage to="/work-list">Work list</LinkToPage>}
      minHeight={heightOfRows(SHOWN)}
    >
      <Loaded query={query} rows={SHOWN}>
        {(bundle) => <List tasks={matchesIn<Task>(bundle)} />}
      </Loaded>
    </Panel>
  )
}

const List = ({ tasks }: { readonly tasks: readonly Task[] }) =>
  tasks.length === 0 ? (
    <Empty icon="check" title="No open tasks">
      Calls leave a task where somebody of the staff must act.
    </Empty>
  ) : (
    <Stack gap={6}>
      {tasks.map((task) => (
        <Row key={task.id} task={task} />
      ))}
    </Stack>
  )

function Row({ task }: { readonly task: Task }) {
  const due = dueOf(task)
  const isLate = due !== undefined && Date.parse(due) < clinicNow()
  const patient = referenceParts((task.for ?? task.focus)?.reference)
  return (
    <Group gap="sm" wrap="nowrap">
      <Badge variant="default" size="sm" flex="none">
        {task.priority ?? 'routine'}
      </Badge>
      <Text size="sm" className="cut" flex={1} miw={0}>
        {taskTitle(task)}
        {patient?.type === 'Patient' && (
          <>
            {' · '}
            <PageLink to={`/patients/${patient.id}`}>{referenceText(task.for ?? task.focus)}</PageLink>
          </>
        )}
      </Text>
      {due !== undefined && (
        <Text size="sm" c={isLate ? 'red' : 'dimmed'} flex="none">
          due {relativeText(due, clinicNow())}
        </Text>
      )}
    </Group>
  )
}
