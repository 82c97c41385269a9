/** The number of open Tasks beside the work list in the navigation; urgent ones that come are noticed here, on any page. */
import { Badge, VisuallyHidden } from '@mantine/core'
import { MINUTE, thisMinute } from '../api/clock.ts'
import { useCounts } from '../api/counts.ts'
import type { Parameters } from '../api/queries.ts'
import { useFresh } from '../api/use-fresh.ts'
import { OPEN_STATUSES } from '../fhir/tasks.ts'
import { useClinic } from './clinic-context.tsx'
import { useNoticeOf } from './urgent-notices.ts'
import { useEvery } from './use-every.ts'

const OPEN: Parameters = [['status', OPEN_STATUSES]]

export function WorkBadge() {
  const { id } = useClinic()
  useFresh(id, ['Task'])
  useNoticeOf()
  useEvery(MINUTE)
  const now = new Date(thisMinute()).toISOString()
  const dueBy = (prefix: string) => ({ type: 'Task', parameters: [...OPEN, ['due', `${prefix}${now}`] as const] })
  const { data } = useCounts('Task', [{ type: 'Task', parameters: OPEN }, dueBy('sa'), dueBy('eb')], {
    keepsPrevious: true,
  })
  const [all = 0, snoozed = 0, overdue = 0] = data ?? []
  const open = all - snoozed
  if (open === 0) return null
  return (
    <Badge size="sm" radius="xl" variant="filled" color={overdue > 0 ? 'red' : 'gray'}>
      {open}
      <VisuallyHidden> open, {overdue} overdue</VisuallyHidden>
    </Badge>
  )
}
