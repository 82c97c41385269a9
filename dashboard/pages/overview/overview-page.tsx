/** The clinic today, and over the last two weeks; of a clinic without anything, how a client connects. */
import { SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'
import { useFirstRequest } from '../../api/first-request.ts'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { LazyConnect } from '../../parts/connect/lazy-connect.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { AppointmentsToday } from './appointments-today.tsx'
import { BookingsChart, CallsChart } from './charts.tsx'
import { Numbers } from './numbers.tsx'
import { OpenTasks } from './open-tasks.tsx'
import { SandboxSwitch } from './sandbox-switch.tsx'

export function OverviewPage() {
  const isNew = useIsNew()
  return (
    <Stack gap="md">
      <PageHead title="Overview" description={<ZoneNote />} actions={<SandboxSwitch />} />
      {isNew ? <LazyConnect /> : <Today />}
    </Stack>
  )
}

/** True from when the clinic was seen without patients and without a request by a client, until the page is left. */
function useIsNew(): boolean {
  const { id } = useClinic()
  const { data: found } = useSearch('Patient', [
    ['_count', '1'],
    ['_elements', 'id'],
  ])
  const hasNone = found !== undefined && matchesIn(found).length === 0
  const { data: first } = useFirstRequest(id, hasNone)
  const [isNew, setNew] = useState(false)
  if (!isNew && hasNone && first === null) setNew(true)
  return isNew
}

function Today() {
  return (
    <>
      <Numbers />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <AppointmentsToday />
        <OpenTasks />
        <CallsChart />
        <BookingsChart />
      </SimpleGrid>
    </>
  )
}
