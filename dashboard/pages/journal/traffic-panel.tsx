/** How many requests there were and how they ended, by time; a period that is chosen becomes the time of the list. */
import { Box } from '@mantine/core'
import { useCounts } from '../../api/exchanges.ts'
import { LazyTraffic, TRAFFIC_HEIGHT } from '../../parts/charts/lazy-traffic.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { exchangeFilters, type FiltersInAddress } from '../../parts/exchange-filters.ts'
import { ErrorView } from '../../parts/page-states.tsx'

/** Milliseconds between two counts while the list is followed. */
const EVERY = 10_000

interface TrafficPanelProps {
  readonly filters: FiltersInAddress
  readonly follows: boolean
  readonly onZoom: (from: string, to: string) => void
}

/** @param follows whether it is counted again from time to time */
export const useTraffic = (filters: FiltersInAddress, follows: boolean) =>
  useCounts(useClinic().id, () => exchangeFilters(filters), JSON.stringify(filters), follows ? EVERY : undefined)

export function TrafficPanel({ filters, follows, onZoom }: TrafficPanelProps) {
  const { timeZone } = useClinic()
  const { data, error, refetch } = useTraffic(filters, follows)
  if (data === undefined && error !== null) return <ErrorView error={error} onRetry={refetch} />
  return (
    <Box className="card" p="sm" mb="sm" mih={TRAFFIC_HEIGHT + 26}>
      {data !== undefined && <LazyTraffic counts={data} zone={timeZone} onZoom={onZoom} />}
    </Box>
  )
}
