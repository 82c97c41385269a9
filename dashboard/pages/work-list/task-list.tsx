/** The Tasks, by when they are due. */
import { Badge, Button, Text, UnstyledButton } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { useAll } from '../../api/all-pages.ts'
import { clinicNow } from '../../api/clock.ts'
import { conceptText } from '../../fhir/names.ts'
import { dueOf, OPEN_STATUSES, taskTitle } from '../../fhir/tasks.ts'
import { relativeText } from '../../fhir/time.ts'
import { byDue, codeOf, isOverdue, isWanted, ownerName, priorityOf } from '../../fhir/work.ts'
import { Arrivals, useArrivals } from '../../parts/arrivals.tsx'
import { useUser } from '../../parts/clinic-context.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Time } from '../../parts/times.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import type { Filters } from './task-choices.ts'
import { CODE_TEXT, taskStatusText } from './task-text.ts'
import classes from './work-list.module.css'

const CLOSED = 'completed,cancelled,rejected,failed'

interface TaskListProps {
  readonly filters: Filters
  readonly onOpen: (id: string) => void
  readonly onClear: () => void
}

export function TaskList({ filters, onOpen, onClear }: TaskListProps) {
  const isClosed = filters.tab === 'closed'
  const { username } = useUser()
  const query = useAll<Task>(
    'Task',
    [
      ['status', isClosed ? CLOSED : OPEN_STATUSES],
      ['_sort', isClosed ? '-modified' : '-priority,authored-on'],
      ['_elements', 'status,priority,code,description,owner,restriction,authoredOn,for,lastModified'],
    ],
    { most: isClosed ? 200 : 2000 },
  )
  const { hasSeen, showAll } = useArrivals({
    items: query.data?.matches ?? [],
    idOf: ({ id }) => id ?? '',
    isCurrent: query.isFetchedAfterMount && !query.isPlaceholderData,
  })
  return (
    <Loaded query={query} rows={8}>
      {({ matches, isCut }) => {
        const wanted = matches.filter((task) => isWanted(task, { ...filters, username, now: clinicNow() }))
        const all = isClosed ? wanted : [...wanted].sort(byDue)
        const seen = all.filter(hasSeen)
        // Nobody reads an empty list.
        const shown = seen.length === 0 ? all : seen
        if (shown.length === 0) return <NoTasks isFiltered={matches.length > 0} isClosed={isClosed} onClear={onClear} />
        return (
          <>
            <Arrivals count={all.length - shown.length} onShow={showAll} />
            <Text size="sm" c="dimmed" role="status">
              {shown.length} {shown.length === 1 ? 'task' : 'tasks'}
              {isCut ? ', of more than are looked through here' : ''}
            </Text>
            <div className="card">
              <VirtualList
                items={shown}
                label="Tasks"
                keyOf={({ id }) => id ?? ''}
                rowHeight={52}
                height="calc(100dvh - 290px)"
              >
                {(task) => <TaskRow task={task} onOpen={() => onOpen(task.id ?? '')} />}
              </VirtualList>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

function TaskRow({ task, onOpen }: { readonly task: Task; readonly onOpen: () => void }) {
  const late = isOverdue(task, clinicNow())
  const due = dueOf(task)
  const priority = priorityOf(task)
  return (
    <UnstyledButton className={`row ${classes.row}`} onClick={onOpen}>
      <span className={classes.what}>
        <bdi className={`${classes.title} cut`}>{taskTitle(task)}</bdi>
        <Text span size="xs" c="dimmed" className="cut">
          {CODE_TEXT[codeOf(task)] ?? conceptText(task.code)}
        </Text>
      </span>
      <span>
        {priority !== 'routine' && (
          <Badge variant="default" radius="sm" tt="none">
            {priority}
          </Badge>
        )}
      </span>
      <span className={`${classes.due} ${late ? classes.late : ''}`}>
        {due === undefined ? 'no due time' : `${late ? 'overdue' : 'due'} ${relativeText(due, clinicNow())}`}
        <Text span size="xs" c="dimmed" className="cut">
          <Time at={due} />
        </Text>
      </span>
      <span className={`${classes.owner} cut`}>
        <bdi>{ownerName(task) || taskStatusText(task.status)}</bdi>
      </span>
    </UnstyledButton>
  )
}

interface NoTasksProps {
  readonly isFiltered: boolean
  readonly isClosed: boolean
  readonly onClear: () => void
}

function NoTasks({ isFiltered, isClosed, onClear }: NoTasksProps) {
  if (isFiltered) {
    return (
      <Empty icon="tasks" title="No matching tasks" action={<Button onClick={onClear}>Show all</Button>}>
        The choices above leave nothing over.
      </Empty>
    )
  }
  return (
    <Empty icon="check" title={isClosed ? 'Nothing has been closed yet' : 'Nothing is left to do'}>
      {isClosed
        ? 'What is done, cancelled or refused is kept here.'
        : 'A call that needs somebody leaves a task: an escalation, a callback, an offer of the waitlist.'}
    </Empty>
  )
}
