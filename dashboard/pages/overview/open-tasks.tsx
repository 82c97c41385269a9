/** The open Tasks, the most urgent first: who is to be called, and what is asked. */

import { Badge, Box, Text } from '@mantine/core'
import type { Bundle, Patient, Task } from 'fhir/r4'
import { clinicNow, MINUTE, thisMinute } from '../../api/clock.ts'
import { type Parameters, useSearches } from '../../api/queries.ts'
import { includedIn, matchesIn } from '../../fhir/bundles.ts'
import { type Person, peopleIn } from '../../fhir/task-person.ts'
import { kindText } from '../../fhir/task-words.ts'
import { dueOf, OPEN_STATUSES, taskTitle } from '../../fhir/tasks.ts'
import { relativeText } from '../../fhir/time.ts'
import { BY_PRIORITY, isOverdue, orderOf, priorityOf } from '../../fhir/work.ts'
import { LinkToPage, PageLink } from '../../parts/links.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TaskPerson } from '../../parts/task-person.tsx'
import { useEvery } from '../../parts/use-every.ts'
import { EVERY, LIST_HEIGHT, SHOWN } from './today.ts'

/** Searches for the tasks of each priority that are not snoozed: they are to be done from now on, or have no time. */
const searchesAt = (now: string): readonly Parameters[] =>
  BY_PRIORITY.flatMap((priority) => [
    searchFor(priority, ['due', `le${now}`]),
    searchFor(priority, ['due:missing', 'true']),
  ])

const searchFor = (...chosen: Parameters): Parameters => [
  ['status', OPEN_STATUSES],
  ...chosen,
  ['_sort', 'due,authored-on'],
  ['_include', 'Task:patient'],
  ['_count', String(SHOWN)],
]

export function OpenTasks() {
  useEvery(MINUTE)
  const query = useSearches('Task', searchesAt(new Date(thisMinute()).toISOString()), EVERY)
  return (
    <Panel title="Most urgent tasks" aside={<LinkToPage to="/work-list">Work list</LinkToPage>} minHeight={LIST_HEIGHT}>
      <Loaded query={query} rows={SHOWN}>
        {(bundles) => <List bundles={bundles} />}
      </Loaded>
    </Panel>
  )
}

function List({ bundles }: { readonly bundles: readonly Bundle[] }) {
  const personOf = peopleIn(bundles.flatMap((bundle) => includedIn<Patient>(bundle, 'Patient')))
  const tasks = bundles
    .flatMap((bundle) => matchesIn<Task>(bundle))
    .toSorted(orderOf('priority', () => ''))
    .slice(0, SHOWN)
  if (tasks.length === 0) {
    return (
      <Empty icon="check" title="No open tasks">
        Calls leave a task where somebody of the staff must act.
      </Empty>
    )
  }
  return tasks.map((task) => <Row key={task.id} task={task} person={personOf(task)} />)
}

function Row({ task, person }: { readonly task: Task; readonly person: Person }) {
  const due = dueOf(task)
  const priority = priorityOf(task)
  const now = clinicNow()
  return (
    <div className="row list-row">
      <Box w="36%" flex="none" miw={0}>
        <TaskPerson person={person} />
      </Box>
      <Box flex="3 1 0" miw={0} className="two-lines">
        <bdi className="cut">
          <PageLink to="/work-list" search={{ task: task.id }}>
            {taskTitle(task)}
          </PageLink>
        </bdi>
        <Text span size="xs" c={isOverdue(task, now) ? 'red' : 'dimmed'} className="cut">
          {[kindText(task), due && `due ${relativeText(due, now)}`].filter(Boolean).join(' · ')}
        </Text>
      </Box>
      {priority !== 'routine' && (
        <Badge variant="default" flex="none">
          {priority}
        </Badge>
      )}
    </div>
  )
}
