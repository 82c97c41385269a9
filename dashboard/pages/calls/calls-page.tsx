/** Calls as they happen: all tool calls, or one call as a conversation, and a telephone to try the tools with. */
import { Button, Grid, Stack } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useTools } from '../../api/tools.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { WhenRead } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { CallList, useCalls } from './call-list.tsx'
import { CallLog, useToolCalls } from './call-log.tsx'
import { CallView } from './call-view.tsx'
import { type Said, Simulator } from './simulator.tsx'
import { CALL_QUERY, useCall } from './use-call.ts'

export function CallsPage() {
  const [{ call }, setFilters] = useFilters({ call: '' })
  const said: Said = useSearch({ strict: false })
  const { id } = useClinic()
  useFresh(id, ['Communication', 'Encounter', 'Provenance', 'Task', 'Appointment'], [CALL_QUERY])
  const [calls, log, chosen, tools] = [useCalls(), useToolCalls(call === ''), useCall(call), useTools()]
  const choose = (id: string) => setFilters({ call: id })
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
      <WhenRead queries={[calls, tools, call === '' ? log : chosen]}>
        <Grid>
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Stack gap="md">
              {call !== '' && <CallView key={call} callId={call} />}
              <CallList chosen={call} onChoose={choose} />
              {call === '' && <CallLog onChoose={choose} />}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Simulator first={said} onCall={choose} />
          </Grid.Col>
        </Grid>
      </WhenRead>
    </>
  )
}
