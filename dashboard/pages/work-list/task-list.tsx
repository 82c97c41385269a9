/** The Tasks, with who is to be called first; several can be selected and acted on at once. */
import { Button, Checkbox, Group, Text } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { isWanted, orderOf } from '../../fhir/work.ts'
import { Arrivals, useArrivals } from '../../parts/arrivals.tsx'
import { useUser } from '../../parts/clinic-context.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import type { Filters } from './task-choices.ts'
import { TaskFilters } from './task-filters.tsx'
import { TaskButtons } from './task-menus.tsx'
import { TaskRow } from './task-row.tsx'
import { MOST_AT_ONCE } from './use-bulk.ts'
import { useTasks } from './use-tasks.ts'

interface TaskListProps {
  readonly filters: Filters
  readonly onChange: (changes: Partial<Filters>) => void
  readonly onClear: () => void
}

export function TaskList({ filters, onChange, onClear }: TaskListProps) {
  const isClosed = filters.tab === 'closed'
  const { username } = useUser()
  const { query, personOf } = useTasks(isClosed)
  const matches = query.data?.matches ?? []
  const { hasSeen, showAll } = useArrivals({
    items: matches,
    idOf: ({ id }) => id ?? '',
    isCurrent: query.isFetchedAfterMount && !query.isPlaceholderData,
  })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const now = clinicNow()
  const wantedWith = (changes: Partial<Filters>) => {
    const wanted = { ...filters, ...changes, username, now }
    return matches.filter((task) => isWanted(task, wanted))
  }
  return (
    <>
      <TaskFilters filters={filters} onChange={onChange} countFor={(changes) => wantedWith(changes).length} />
      <Loaded query={query} rows={8}>
        {({ isCut }) => {
          const wanted = wantedWith({})
          const isSorted = !isClosed || filters.sort !== ''
          const all = isSorted ? [...wanted].sort(orderOf(filters.sort, (task) => personOf(task).name)) : wanted
          const seen = all.filter(hasSeen)
          // Nobody reads an empty list.
          const shown = seen.length === 0 ? all : seen
          if (shown.length === 0) {
            return <NoTasks isFiltered={matches.length > 0} isClosed={isClosed} onClear={onClear} />
          }
          const chosen = shown.filter(({ id = '' }) => selected.has(id))
          const select = (task: Task, isSelected: boolean) =>
            setSelected(isSelected ? new Set([...selected, task.id ?? '']) : without(selected, task.id ?? ''))
          return (
            <>
              <Arrivals count={all.length - shown.length} onShow={showAll} />
              <Group justify="space-between" gap="sm">
                {!isClosed && <Selection shown={shown} chosen={chosen} onSelect={setSelected} />}
                <Text size="sm" c="dimmed" role="status">
                  {shown.length} {shown.length === 1 ? 'task' : 'tasks'}
                  {isCut ? ', of more than are looked through here' : ''}
                </Text>
              </Group>
              <div className="card">
                <VirtualList
                  items={shown}
                  label="Tasks"
                  keyOf={({ id }) => id ?? ''}
                  rowHeight={64}
                  height="calc(100dvh - 340px)"
                >
                  {(task) => (
                    <TaskRow
                      task={task}
                      person={personOf(task)}
                      onOpen={() => onChange({ task: task.id ?? '' })}
                      isSelected={selected.has(task.id ?? '')}
                      onSelect={isClosed ? undefined : (isSelected) => select(task, isSelected)}
                    />
                  )}
                </VirtualList>
              </div>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const others = new Set(ids)
  others.delete(id)
  return others
}

interface SelectionProps {
  readonly shown: readonly Task[]
  readonly chosen: readonly Task[]
  readonly onSelect: (ids: ReadonlySet<string>) => void
}

/** The first ones can be selected together, and what is selected is acted on together. */
function Selection({ shown, chosen, onSelect }: SelectionProps) {
  const first = shown.slice(0, MOST_AT_ONCE)
  const isAll = chosen.length >= first.length
  return (
    <Group gap="sm" mih={36} role="group" aria-label="Selected tasks">
      <Checkbox
        label={shown.length > first.length ? `Select the first ${first.length}` : 'Select all'}
        checked={isAll}
        indeterminate={!isAll && chosen.length > 0}
        onChange={() => onSelect(isAll ? new Set() : new Set(first.map(({ id }) => id ?? '')))}
      />
      {chosen.length > MOST_AT_ONCE && <Text size="sm">At most {MOST_AT_ONCE} at once.</Text>}
      {chosen.length > 0 && chosen.length <= MOST_AT_ONCE && (
        <>
          <Text size="sm">{chosen.length} selected</Text>
          <TaskButtons tasks={chosen} onDone={() => onSelect(new Set())} />
        </>
      )}
    </Group>
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
