/** The outbox: what goes to the CRM and to patients; of the simulators, with text and link. docs/simulators.md */
import { Stack } from '@mantine/core'
import { ALL_STATES } from '../../api/outbox.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Deliveries } from '../../parts/deliveries.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ZoneNote } from '../../parts/times.tsx'

export function MessagesPage() {
  const { id } = useClinic()
  useFresh(id, ['Task'], ['outbox'])
  const [{ state }, setFilters] = useFilters({ state: ALL_STATES })
  return (
    <Stack gap="sm">
      <PageHead title="Messages" description={<ZoneNote />} />
      <Deliveries state={state} onState={(chosen) => setFilters({ state: chosen })} hasAll />
    </Stack>
  )
}
