/** The journal: requests with their responses and reasons, the newest first, updated as they happen. */
import { Button, Group, NativeSelect, Switch, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { type Entry, type ExchangeFilters, isGap, isOwnRead, pathOf, useExchanges } from '../../api/exchanges.ts'
import { useLiveExchanges } from '../../api/use-live.ts'
import { Arrivals } from '../../parts/arrivals.tsx'
import { useClinic } from '../../parts/clinic-context.tsx'
import { CopyAsCurl } from '../../parts/copy.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { EntryRow } from './entry-row.tsx'

/** The fewest rows shown, if the journal has as many. */
const ENOUGH = 30

const NO_FILTERS = { path: '', status: '', type: '', call: '', run: '', fault: '' }

const STATUSES = [
  { value: '', label: 'Any status' },
  { value: '2xx', label: '2xx: done' },
  { value: '4xx', label: '4xx: refused' },
  { value: '5xx', label: '5xx: failed' },
  { value: '499', label: '499: the client left' },
  { value: '0', label: 'No response' },
]

export function JournalPage() {
  const { id, isRehearsal } = useClinic()
  const [{ follow, own, ...filters }, setFilters] = useFilters({ ...NO_FILTERS, follow: 'on', own: 'hidden' })
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <>
      <PageHead
        title="Requests"
        description={<ZoneNote />}
        actions={<CopyAsCurl request={{ path: pathOf(id, filters) }} />}
      />
      <Group mb="sm" gap="sm" align="end">
        <TypedFilter
          label="Path"
          value={filters.path}
          placeholder="/Patient"
          onChange={(path) => setFilters({ path })}
        />
        <NativeSelect
          label="Status"
          data={STATUSES}
          value={filters.status}
          onChange={(event) => setFilters({ status: event.currentTarget.value })}
        />
        <TypedFilter
          label="Type"
          value={filters.type}
          placeholder="Patient"
          onChange={(type) => setFilters({ type })}
        />
        <TypedFilter label="Call" value={filters.call} onChange={(call) => setFilters({ call })} />
        <TypedFilter label="Run" value={filters.run} onChange={(run) => setFilters({ run })} />
        {isRehearsal && <TypedFilter label="Fault" value={filters.fault} onChange={(fault) => setFilters({ fault })} />}
        <Switch
          label="Follow"
          checked={follow === 'on'}
          onChange={(event) => setFilters({ follow: event.currentTarget.checked ? 'on' : 'off' })}
          mb={8}
        />
        <Switch
          label="What the dashboard reads"
          checked={own === 'shown'}
          onChange={(event) => setFilters({ own: event.currentTarget.checked ? 'shown' : 'hidden' })}
          mb={8}
        />
        {isFiltered && (
          <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
            Clear filters
          </Button>
        )}
      </Group>
      <Exchanges
        key={JSON.stringify(filters)}
        filters={filters}
        isFiltered={isFiltered}
        follows={follow === 'on'}
        hidesOwn={own === 'hidden'}
      />
    </>
  )
}

interface ExchangesProps {
  readonly filters: ExchangeFilters
  readonly isFiltered: boolean
  /** Whether new exchanges are shown at once; otherwise a button shows them. */
  readonly follows: boolean
  /** Whether reads by pages of the dashboard are left out. */
  readonly hidesOwn: boolean
}

function Exchanges({ filters, isFiltered, follows, hidesOwn }: ExchangesProps) {
  const { id } = useClinic()
  const query = useExchanges(id, filters)
  const { hasNextPage, isFetching, fetchNextPage } = query
  const isShown = (entry: Entry): boolean => !hidesOwn || isGap(entry) || !isOwnRead(entry)
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
  const waiting = live.filter(isShown).length - shown.filter(isShown).length
  const few = merged(shown, query.entries ?? []).filter(isShown).length < ENOUGH
  // Fetching the next page during a refetch would abort it, and exchanges that came meanwhile would be missed.
  const hasMore = hasNextPage && !isFetching
  useEffect(() => {
    if (few && hasMore) void fetchNextPage()
  }, [few, hasMore, fetchNextPage])
  return (
    <>
      <Arrivals count={follows ? 0 : waiting} onShow={() => setShown(live)} />
      <Loaded query={{ ...query, data: query.entries }} rows={12}>
        {(stored) => {
          const entries = merged(shown, stored).filter(isShown)
          return entries.length === 0 ? (
            <NoExchanges isFiltered={isFiltered} />
          ) : (
            <div className="card">
              <VirtualList
                items={entries}
                label="Exchanges"
                keyOf={keyOf}
                height="calc(100dvh - 240px)"
                hasMore={hasMore}
                onEnd={fetchNextPage}
              >
                {(entry) => <EntryRow entry={entry} />}
              </VirtualList>
            </div>
          )
        }}
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

interface TypedFilterProps {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly onChange: (value: string) => void
}

function TypedFilter({ label, value, placeholder, onChange }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed, 250)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address here
  useEffect(() => {
    if (settled.trim() !== value) onChange(settled.trim())
  }, [settled])
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      w={{ base: '100%', xs: 150 }}
    />
  )
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
