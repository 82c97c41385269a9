/** The work that calls have left for staff: Tasks to claim, comment and complete; and failed deliveries. */
import { SegmentedControl, Stack, Switch } from '@mantine/core'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Deliveries } from '../../parts/deliveries.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { useUrgentNotices } from '../../parts/urgent-notices.ts'
import { FILTERS, type Filters } from './task-choices.ts'
import { TaskDialog } from './task-dialog.tsx'
import { TaskList } from './task-list.tsx'

const TABS = [
  { value: 'open', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'deliveries', label: 'Deliveries' },
]

export function WorkListPage() {
  const { id } = useClinic()
  useFresh(id, ['Task', 'Patient'], ['outbox'])
  const [filters, setFilters] = useFilters<Filters>(FILTERS)
  const { tab, task } = filters
  return (
    <Stack gap="sm">
      <PageHead title="Work list" description={<ZoneNote />} actions={<NoticeSwitch />} />
      <SegmentedControl
        aria-label="View"
        data={TABS}
        value={tab}
        onChange={(value) => setFilters({ tab: value })}
        w="fit-content"
      />
      {tab === 'deliveries' ? (
        <Deliveries state={filters.state} onState={(state) => setFilters({ state })} />
      ) : (
        <TaskList key={tab} filters={filters} onChange={setFilters} onClear={() => setFilters({ ...FILTERS, tab })} />
      )}
      {task !== '' && <TaskDialog id={task} onClose={() => setFilters({ task: '' })} />}
    </Stack>
  )
}

/** The browser asks for its permission when the switch is turned on. */
function NoticeSwitch() {
  const { canNotify, isOn, turn } = useUrgentNotices()
  if (!canNotify) return null
  return (
    <Switch
      label="Notices of urgent tasks"
      checked={isOn}
      onChange={({ currentTarget: { checked } }) => void turn(checked)}
    />
  )
}
