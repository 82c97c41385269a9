/** The clinic today, and over the last two weeks. */
import { SimpleGrid, Stack } from '@mantine/core'
import { PageHead } from '../../parts/page-head.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { AppointmentsToday } from './appointments-today.tsx'
import { BookingsChart, CallsChart } from './charts.tsx'
import { Numbers } from './numbers.tsx'
import { OpenTasks } from './open-tasks.tsx'
import { SandboxSwitch } from './sandbox-switch.tsx'

export function OverviewPage() {
  return (
    <Stack gap="md">
      <PageHead title="Overview" description={<ZoneNote />} actions={<SandboxSwitch />} />
      <Numbers />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <AppointmentsToday />
        <OpenTasks />
        <CallsChart />
        <BookingsChart />
      </SimpleGrid>
    </Stack>
  )
}
