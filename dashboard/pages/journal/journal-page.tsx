/** The journal: requests with their responses and reasons, the newest first, updated as they happen. */
import { Text } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import {
  type Entry,
  type ExchangeFilters,
  type ExportFormat,
  exportExchanges,
  isGap,
  pathOf,
  useCounts,
  useExchanges,
} from '../../api/exchanges.ts'
import { useLiveExchanges } from '../../api/use-live.ts'
import { Arrivals } from '../../parts/arrivals.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { CopyAsCurl, CopyLink } from '../../parts/copy.tsx'
import { EXCHANGE_FILTERS, exchangeFilters } from '../../parts/exchange-filters.ts'
import { ExportMenu } from '../../parts/export-menu.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { EntryRow } from './entry-row.tsx'
import { FilterFields } from './filter-fields.tsx'
import { TrafficPanel } from './traffic-panel.tsx'

/** The fewest rows shown, if the journal has as many. */
const ENOUGH = 30

/** Milliseconds between two counts while the list is followed. */
const COUNT_EVERY = 10_000

const FORMATS: Readonly<Record<ExportFormat, string>> = {
  har: 'HAR: the newest 1,000, with bodies',
  ndjson: 'NDJSON: the newest 1,000, with bodies',
  csv: 'CSV: the newest 10,000, without bodies',
}

const DEFAULTS = { ...EXCHANGE_FILTERS, follow: 'on' }

export function JournalPage() {
  const { id, settings } = useClinic()
  const [{ follow, ...filters }, setFilters] = useFilters(DEFAULTS)
  const follows = follow === 'on'
  const key = JSON.stringify(filters)
  // A time that ends with now begins when the filters change; what comes later is shown by the stream.
  // biome-ignore lint/correctness/useExhaustiveDependencies: all filters are in the key
  const wanted = useMemo(() => exchangeFilters(filters), [key])
  const filtersNow = () => exchangeFilters(filters)
  const counts = useCounts(id, filtersNow, key, follows ? COUNT_EVERY : undefined)
  const isFiltered = key !== JSON.stringify({ ...EXCHANGE_FILTERS, own: filters.own })
  return (
    <>
      <PageHead
        title="Requests"
        description={<ZoneNote />}
        actions={
          <>
            <CopyLink />
            <ExportMenu name="requests" labels={FORMATS} read={(format) => exportExchanges(id, filtersNow(), format)} />
            <CopyAsCurl request={{ path: pathOf(id, wanted) }} />
          </>
        }
      />
      {settings.journal === 'off' && (
        <Text size="sm" mb="sm">
          The journal of this clinic is off: what comes in now is not recorded.
        </Text>
      )}
      <FilterFields
        filters={{ ...filters, follow }}
        counts={counts.data}
        onChange={setFilters}
        onClear={isFiltered ? () => setFilters({ ...EXCHANGE_FILTERS, own: filters.own }) : undefined}
      />
      <TrafficPanel counts={counts} onZoom={(since, until) => setFilters({ range: '', since, until })} />
      <Exchanges key={key} filters={wanted} isFiltered={isFiltered} follows={follows} />
    </>
  )
}

interface ExchangesProps {
  readonly filters: ExchangeFilters
  readonly isFiltered: boolean
  /** Whether new exchanges are shown at once; otherwise a button shows them. */
  readonly follows: boolean
}

function Exchanges({ filters, isFiltered, follows }: ExchangesProps) {
  const { id } = useClinic()
  const query = useExchanges(id, filters)
  const { hasNextPage, isFetching, fetchNextPage } = query
  const live = useLiveExchanges(id, filters, async () => {
    const isFirst = query.data === undefined
    await query.refetch()
    // The first read may have been served before the stream began.
    if (isFirst) await query.refetch()
  })
  const [shown, setShown] = useState<readonly Entry[]>([])
  useEffect(() => {
    if (follows) setShown(live)
  }, [live, follows])
  const waiting = live.length - shown.length
  const entries = merged(shown, query.entries ?? [])
  const few = entries.length < ENOUGH
  // Fetching the next page during a refetch would abort it, and exchanges that came meanwhile would be missed.
  const hasMore = hasNextPage && !isFetching
  useEffect(() => {
    if (few && hasMore) void fetchNextPage()
  }, [few, hasMore, fetchNextPage])
  return (
    <>
      <Arrivals count={follows ? 0 : waiting} onShow={() => setShown(live)} />
      <Loaded query={{ ...query, data: query.entries }} rows={12}>
        {() =>
          entries.length === 0 ? (
            <NoExchanges isFiltered={isFiltered} />
          ) : (
            <div className="card">
              <VirtualList
                items={entries}
                label="Exchanges"
                keyOf={keyOf}
                height="max(360px, calc(100dvh - 460px))"
                hasMore={hasMore}
                onEnd={fetchNextPage}
              >
                {(entry) => <EntryRow entry={entry} />}
              </VirtualList>
            </div>
          )
        }
      </Loaded>
    </>
  )
}

const keyOf = (entry: Entry): string => (isGap(entry) ? `gap ${entry.gap.from} ${entry.gap.why}` : entry.id)

/** Each exchange once: those of the stream may be in the list too. */
function merged(live: readonly Entry[], stored: readonly Entry[]): readonly Entry[] {
  const all = new Map<string, Entry>()
  for (const entry of [...live, ...stored]) if (!all.has(keyOf(entry))) all.set(keyOf(entry), entry)
  return [...all.values()]
}

function NoExchanges({ isFiltered }: { readonly isFiltered: boolean }) {
  const { settings } = useClinic()
  if (isFiltered) {
    return (
      <Empty icon="search" title="Nothing of this kind">
        No request that is kept fits the filters; what comes in from now on shows up by itself.
      </Empty>
    )
  }
  return (
    <Empty icon="journal" title="No requests yet">
      {settings.journal === 'off'
        ? 'The journal of this clinic is off; the settings turn it on.'
        : 'Every request to this clinic shows up here as it happens, with its response and the reason.'}
    </Empty>
  )
}
