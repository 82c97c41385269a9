/** One Task: its subject, its comments, and its actions. */
import { Badge, Button, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { errorText } from '../../api/problem.ts'
import { useGet } from '../../api/queries.ts'
import { conceptText } from '../../fhir/names.ts'
import { kindText } from '../../fhir/task-words.ts'
import { dueOf, taskTitle } from '../../fhir/tasks.ts'
import { isOpenTask, isOwnedBy, ownerName, priorityOf, snoozedUntil } from '../../fhir/work.ts'
import { useUser } from '../../parts/clinic-context.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { FormError } from '../../parts/sign-in.tsx'
import { Time } from '../../parts/times.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { Comments } from './comments.tsx'
import { CompleteForm } from './complete-form.tsx'
import { Inputs } from './inputs.tsx'
import { useTaskActions } from './task-actions.ts'
import { AssignMenu, SnoozeMenu } from './task-menus.tsx'
import { taskStatusText } from './task-text.ts'
import { WhoItIsFor } from './who-it-is-for.tsx'

interface TaskDialogProps {
  readonly id: string
  readonly onClose: () => void
}

export function TaskDialog({ id, onClose }: TaskDialogProps) {
  const query = useGet<Task>(`Task/${id}`)
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <Text inherit component="span">
          <bdi>{query.data === undefined ? 'Task' : taskTitle(query.data)}</bdi>
        </Text>
      }
    >
      <Loaded query={query}>{(task) => <TaskView task={task} onClose={onClose} />}</Loaded>
    </Drawer>
  )
}

function TaskView({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const owner = ownerName(task)
  return (
    <Stack>
      <Facts
        facts={[
          [
            'Status',
            <Badge key="status" variant="default">
              {taskStatusText(task.status)}
            </Badge>,
          ],
          ['Kind', kindText(task)],
          ['Priority', priorityOf(task)],
          ['Due', dueOf(task) && <Time at={dueOf(task)} />],
          ['Snoozed until', snoozedUntil(task, clinicNow()) && <Time at={task.restriction?.period?.start} />],
          ['Raised', task.authoredOn && <Time at={task.authoredOn} />],
          ['Owner', owner && <bdi>{owner}</bdi>],
          ['About', <WhoItIsFor key="for" task={task} />],
          ...outcomesOf(task),
        ]}
      />
      <Actions task={task} onClose={onClose} />
      <Inputs task={task} />
      <Comments task={task} />
    </Stack>
  )
}

const outcomesOf = ({ output = [] }: Task) =>
  output.map(({ type, valueCodeableConcept, valueString, valueReference }) => {
    const value = valueString ?? (conceptText(valueCodeableConcept) || valueReference?.reference)
    return [conceptText(type) || 'Outcome', <bdi key={value}>{value}</bdi>] as const
  })

function Actions({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const { username, role } = useUser()
  const { claim, release, assign, snooze, restore } = useTaskActions()
  const [isCompleting, setCompleting] = useState(false)
  const [error, setError] = useState<string>()
  if (!isOpenTask(task)) return null
  const id = task.id ?? ''
  const isMine = isOwnedBy(task, username)
  /** @throws Problem */
  const act = async (work: () => Promise<Task>, said: string) => {
    setError(undefined)
    const after = await work()
    // Done already, in another window.
    if (after.meta?.versionId === task.meta?.versionId) return
    offerUndo(said, { things: [`Task/${id}`], undo: () => restore(after) })
  }
  const tell = (problem: unknown) => setError(errorText(problem))
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Actions
      </Title>
      <Group gap="xs">
        {!isMine && (
          <Button size="xs" onClick={() => act(() => claim(id), 'The task is yours.').catch(tell)}>
            Claim
          </Button>
        )}
        {task.owner !== undefined && (isMine || role === 'admin') && (
          <Button
            size="xs"
            variant="default"
            onClick={() => act(() => release(id), 'The task is given back.').catch(tell)}
          >
            Give back
          </Button>
        )}
        <AssignMenu onAssign={(to) => act(() => assign(task, to), `The task is assigned to ${to.name}.`).catch(tell)} />
        <SnoozeMenu onSnooze={(until, said) => act(() => snooze(task, until), `The task is ${said}.`)} onError={tell} />
        <Button
          size="xs"
          variant={isMine ? 'filled' : 'default'}
          onClick={() => setCompleting(!isCompleting)}
          aria-expanded={isCompleting}
        >
          Complete…
        </Button>
      </Group>
      <FormError text={error} />
      {isCompleting && <CompleteForm task={task} onDone={onClose} />}
    </Stack>
  )
}
