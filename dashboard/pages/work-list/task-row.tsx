/** One Task in the list: who is to be called, what is asked, by when and by whom. */
import { Badge, Checkbox, Text, UnstyledButton } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import type { Person } from '../../fhir/task-person.ts'
import { callOf, kindText, missingOf } from '../../fhir/task-words.ts'
import { dueOf, taskTitle } from '../../fhir/tasks.ts'
import { relativeText, timeText } from '../../fhir/time.ts'
import { isOverdue, ownerName, priorityOf, snoozedUntil } from '../../fhir/work.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { TaskPerson } from '../../parts/task-person.tsx'
import { Time } from '../../parts/times.tsx'
import { taskStatusText } from './task-text.ts'
import classes from './work-list.module.css'

interface TaskRowProps {
  readonly task: Task
  readonly person: Person
  readonly onOpen: () => void
  readonly isSelected: boolean
  /** Undefined: it cannot be selected. */
  readonly onSelect: ((isSelected: boolean) => void) | undefined
}

export function TaskRow({ task, person, onOpen, isSelected, onSelect }: TaskRowProps) {
  const call = callOf(task)
  const missing = missingOf(task)
  const priority = priorityOf(task)
  return (
    <div className={`row ${classes.row}`}>
      {onSelect !== undefined && (
        <Checkbox
          aria-label={`Select ${person.name || taskTitle(task)}`}
          checked={isSelected}
          onChange={({ currentTarget: { checked } }) => onSelect(checked)}
        />
      )}
      <UnstyledButton className={classes.open} onClick={onOpen}>
        <TaskPerson person={person} />
        <span className="two-lines">
          <bdi className="cut">{taskTitle(task)}</bdi>
          <Text span size="xs" c="dimmed" className="cut">
            {[kindText(task), missing && `Missing: ${missing}`].filter(Boolean).join(' · ')}
          </Text>
        </span>
        <span className={classes.priority}>
          {priority !== 'routine' && <Badge variant="default">{priority}</Badge>}
        </span>
        <Due task={task} />
        <span className={`${classes.owner} cut`}>
          <bdi>{ownerName(task) || taskStatusText(task.status)}</bdi>
        </span>
      </UnstyledButton>
      <span className={classes.call}>
        {call !== undefined && (
          <PageLink to="/calls" search={{ call }}>
            Call
          </PageLink>
        )}
      </span>
    </div>
  )
}

function Due({ task }: { readonly task: Task }) {
  const { timeZone } = useClinic()
  const now = clinicNow()
  const due = dueOf(task)
  const until = snoozedUntil(task, now)
  const late = isOverdue(task, now)
  return (
    <span className={`two-lines ${classes.due} ${late ? classes.late : ''}`}>
      {due === undefined ? 'no due time' : `${late ? 'overdue' : 'due'} ${relativeText(due, now)}`}
      <Text span size="xs" c="dimmed" className="cut">
        {until === undefined ? <Time at={due} /> : `snoozed until ${timeText(new Date(until).toISOString(), timeZone)}`}
      </Text>
    </span>
  )
}
