/** How many requests there were and how they ended, by time; a period that is chosen becomes the time of the list. */
import { Box } from '@mantine/core'
import type { useCounts } from '../../api/exchanges.ts'
import { LazyTraffic, TRAFFIC_HEIGHT } from '../../parts/charts/lazy-traffic.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { ErrorView } from '../../parts/page-states.tsx'

interface TrafficPanelProps {
  readonly counts: ReturnType<typeof useCounts>
  readonly onZoom: (from: string, to: string) => void
}

export function TrafficPanel({ counts: { data, error, refetch }, onZoom }: TrafficPanelProps) {
  const { timeZone } = useClinic()
  if (data === undefined && error !== null) return <ErrorView error={error} onRetry={refetch} />
  return (
    <Box className="card" p="sm" mb="sm" mih={TRAFFIC_HEIGHT + 26}>
      {data !== undefined && <LazyTraffic counts={data} zone={timeZone} onZoom={onZoom} />}
    </Box>
  )
}
