/** Calls as they happen: each tool call with its arguments and result, and a telephone to try the tools with. */
import { Button, SimpleGrid, Stack } from '@mantine/core'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { CallList } from './call-list.tsx'
import { CallLog } from './call-log.tsx'
import { Simulator } from './simulator.tsx'

export function CallsPage() {
  const [{ call }, setFilters] = useFilters({ call: '' })
  const { id } = useClinic()
  useFresh(id, ['Communication', 'Encounter'])
  const choose = (chosen: string) => setFilters({ call: chosen })
  return (
    <>
      <PageHead
        title="Live calls"
        description={<ZoneNote />}
        actions={
          call === '' ? undefined : (
            <Button size="xs" variant="default" onClick={() => choose('')}>
              All calls
            </Button>
          )
        }
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Stack gap="md">
          <CallList chosen={call} onChoose={choose} />
          <CallLog call={call} onChoose={choose} />
        </Stack>
        <Simulator onCall={choose} />
      </SimpleGrid>
    </>
  )
}
