/** The numbers of the day. */
import { SimpleGrid } from '@mantine/core'
import { useCounts } from '../../api/counts.ts'
import { useGet } from '../../api/queries.ts'
import { OPEN_STATUSES } from '../../fhir/tasks.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Numeral } from '../../parts/numeral.tsx'
import { ErrorView } from '../../parts/page-states.tsx'
import { CALLS, EVERY, onDay, TAKING_PLACE, useToday } from './today.ts'

interface Outbox {
  readonly messages: readonly unknown[]
  readonly next?: string
}

export function Numbers() {
  const { id } = useClinic()
  const { day, zone } = useToday()
  const counts = useCounts(
    'today',
    [
      { type: 'Encounter', parameters: [...CALLS, ...onDay(day, zone)] },
      { type: 'Appointment', parameters: [...TAKING_PLACE, ...onDay(day, zone)] },
      { type: 'Task', parameters: [['status', OPEN_STATUSES]] },
    ],
    { every: EVERY },
  )
  const outbox = useGet<Outbox>(`clinics/${id}/outbox?state=dead`, { every: EVERY })
  if (counts.error) return <ErrorView error={counts.error} onRetry={counts.refetch} />
  const [calls, appointments, tasks] = counts.data ?? []
  const failed = outbox.data && `${outbox.data.messages.length}${outbox.data.next === undefined ? '' : '+'}`
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
      <Numeral label="Calls today" value={calls} />
      <Numeral label="Appointments today" value={appointments} />
      <Numeral label="Open tasks" value={tasks} />
      <Numeral label="Failed deliveries" value={failed} isBad={failed !== undefined && failed !== '0'} />
    </SimpleGrid>
  )
}
