/** The number of open Tasks beside the work list in the navigation; urgent ones that come are noticed here, on any page. */
import { Badge, VisuallyHidden } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { lazy, Suspense } from 'react'
import { useAll } from '../api/all-pages.ts'
import { clinicNow } from '../api/clock.ts'
import { useFresh } from '../api/use-fresh.ts'
import { OPEN_STATUSES } from '../fhir/tasks.ts'
import { isOverdue, snoozedUntil } from '../fhir/work.ts'
import { useClinic } from './clinic-context.tsx'
import { useUrgentNotices } from './use-urgent-notices.ts'

const UrgentNotices = lazy(async () => ({ default: (await import('./urgent-notices.tsx')).UrgentNotices }))

/** Tasks that are looked through: the oldest of each priority, of which most are overdue. */
const MOST = 400

export function WorkBadge() {
  const { id } = useClinic()
  useFresh(id, ['Task'])
  const { data } = useAll<Task>(
    'Task',
    [
      ['status', OPEN_STATUSES],
      ['_sort', '-priority,authored-on'],
      ['_elements', 'status,priority,code,restriction'],
    ],
    { most: MOST },
  )
  const { isOn } = useUrgentNotices()
  const now = clinicNow()
  const open = (data?.matches ?? []).filter((task) => snoozedUntil(task, now) === undefined)
  const overdue = open.filter((task) => isOverdue(task, now)).length
  return (
    <>
      {isOn && (
        <Suspense>
          <UrgentNotices tasks={data?.matches} />
        </Suspense>
      )}
      {open.length > 0 && (
        <Badge size="sm" variant="filled" color={overdue > 0 ? 'red' : 'gray'} tt="none">
          {open.length}
          {data?.isCut ? '+' : ''}
          <VisuallyHidden> open, {overdue} overdue</VisuallyHidden>
        </Badge>
      )}
    </>
  )
}
