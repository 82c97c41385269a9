/** The number of open Tasks beside the work list in the navigation; urgent ones that come are noticed here, on any page. */
import { Badge, VisuallyHidden } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { useMemo } from 'react'
import { clinicNow } from '../api/clock.ts'
import { useSearch } from '../api/queries.ts'
import { useFresh } from '../api/use-fresh.ts'
import { matchesIn, nextOf } from '../fhir/bundles.ts'
import { OPEN_STATUSES } from '../fhir/tasks.ts'
import { isOverdue, snoozedUntil } from '../fhir/work.ts'
import { useClinic } from './clinic-context.tsx'
import { useNoticeOf } from './urgent-notices.ts'

/** Tasks that are looked through: the oldest of each priority, of which most are overdue. */
const MOST = '200'

export function WorkBadge() {
  const { id } = useClinic()
  useFresh(id, ['Task'])
  const { data } = useSearch(
    'Task',
    [
      ['status', OPEN_STATUSES],
      ['_sort', '-priority,authored-on'],
      ['_elements', 'status,priority,code,restriction'],
      ['_count', MOST],
    ],
    { keepsPrevious: true },
  )
  const tasks = useMemo(() => (data === undefined ? undefined : matchesIn<Task>(data)), [data])
  useNoticeOf(tasks)
  const now = clinicNow()
  const open = (tasks ?? []).filter((task) => snoozedUntil(task, now) === undefined)
  if (open.length === 0) return null
  const overdue = open.filter((task) => isOverdue(task, now)).length
  return (
    <Badge size="sm" variant="filled" color={overdue > 0 ? 'red' : 'gray'} tt="none">
      {open.length}
      {data !== undefined && nextOf(data) !== undefined ? '+' : ''}
      <VisuallyHidden> open, {overdue} overdue</VisuallyHidden>
    </Badge>
  )
}
