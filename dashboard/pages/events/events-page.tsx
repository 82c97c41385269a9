/** The Subscriptions of the clinic: what they are about, how far their deliveries are, and the form for a new one. docs/subscriptions.md */
import { Button, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Subscription } from 'fhir/r4'
import { usePages } from '../../api/queries.ts'
import { type Progress, progressOf, SENT, topics } from '../../api/subscriptions.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { subscriptionTitle, typesOf } from '../../fhir/subscriptions.ts'
import type { Topic } from '../../fhir/topics.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Time, ZoneNote } from '../../parts/times.tsx'
import { useGo } from '../../parts/use-go.ts'
import { NewSubscription } from './new-subscription.tsx'
import { StatusBadge, SwitchButton } from './subscription-parts.tsx'
import { useActivation } from './use-activation.ts'

const STATES = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'error', label: 'In error' },
  { value: 'off', label: 'Off' },
]
/** Subscriptions of a page: as many as one request about their progress may name. */
const PAGE = 50

export function EventsPage() {
  const { id } = useClinic()
  const go = useGo()
  const [{ status, new: isNew }, setFilters] = useFilters({ status: '', new: '' })
  const query = usePages<Subscription>('Subscription', [
    ...(status === '' ? [] : [['status', status] as const]),
    ['_sort', '-_lastUpdated'],
    ['_count', String(PAGE)],
  ])
  const shown = query.data && query.resources
  const known = useQuery(topics)
  const types = query.resources?.flatMap((one) => typesOf(one, known.data)) ?? []
  useFresh(id, ['Subscription', ...new Set(types)].sort(), [SENT])
  // As many as one request may name; later ones show their progress on their own pages.
  const ids = query.resources?.flatMap((one) => one.id ?? []).slice(0, 2 * PAGE) ?? []
  const progress = useQuery(progressOf(id, ids))
  // Rows are drawn once, whole, so that nothing moves.
  const isWhole = !known.isPending && (ids.length === 0 || !progress.isPending)
  useActivation(query.resources ?? [])
  return (
    <Stack gap="sm">
      <PageHead
        title="Events"
        description={<ZoneNote />}
        actions={<Button onClick={() => setFilters({ new: 'yes' })}>New Subscription…</Button>}
      />
      <SegmentedControl
        aria-label="Which Subscriptions"
        data={STATES}
        value={status}
        onChange={(chosen) => setFilters({ status: chosen })}
        w="fit-content"
      />
      <Loaded query={{ ...query, data: isWhole ? shown : undefined }}>
        {(subscriptions) =>
          subscriptions.length === 0 ? (
            <Nothing />
          ) : (
            <SubscriptionTable subscriptions={subscriptions} known={known.data} progress={progress.data} />
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {isNew !== '' && !known.isPending && (
        <NewSubscription
          known={known.data ?? []}
          onClose={() => setFilters({ new: '' })}
          onCreated={(created) => go(`/events/${created}`)}
        />
      )}
    </Stack>
  )
}

const Nothing = () => (
  <Empty icon="bell" title="There are no Subscriptions">
    A Subscription tells a program at once of what changes: a visit that was booked, a Task that was raised. Programs
    make them over FHIR, and so does the button above.
  </Empty>
)

const TITLES = ['What', 'Status', 'To', 'Events', 'Waiting', 'Last attempt', 'Actions']

interface SubscriptionTableProps {
  readonly subscriptions: readonly Subscription[]
  readonly known: readonly Topic[] | undefined
  readonly progress: ReadonlyMap<string, Progress> | undefined
}

function SubscriptionTable({ subscriptions, known, progress }: SubscriptionTableProps) {
  return (
    <ListTable label="Subscriptions" titles={TITLES} minWidth={960}>
      {subscriptions.map((subscription) => (
        <Table.Tr key={subscription.id} h={56}>
          <Table.Th scope="row" maw={300}>
            <PageLink to={`/events/${subscription.id}`}>
              <bdi>{subscriptionTitle(subscription, known)}</bdi>
            </PageLink>
            <Text size="xs" c="dimmed" lineClamp={2}>
              <bdi>{subscription.reason}</bdi>
            </Text>
          </Table.Th>
          <Table.Td maw={240}>
            <StatusBadge subscription={subscription} />
            <Text size="xs" lineClamp={2} title={subscription.error}>
              {subscription.error}
            </Text>
          </Table.Td>
          <Table.Td maw={200}>
            <To subscription={subscription} />
          </Table.Td>
          <ProgressCells progress={progress?.get(subscription.id ?? '')} />
          <Table.Td>
            <SwitchButton subscription={subscription} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}

/** The receiver: the host and path of its address. */
const To = ({ subscription: { channel } }: { readonly subscription: Subscription }) => (
  <>
    <Text size="sm">{channel?.type ?? 'No channel'}</Text>
    <Text size="xs" c="dimmed" className="cut" title={channel?.endpoint}>
      {channel?.endpoint?.replace(/^(https?:\/\/|mailto:)/, '')}
    </Text>
  </>
)

/** Cells keep their place while nothing is known yet. */
const ProgressCells = ({ progress }: { readonly progress: Progress | undefined }) => (
  <>
    <Table.Td className="number">{progress?.events.toLocaleString('en')}</Table.Td>
    <Table.Td className="number">{progress?.undelivered.toLocaleString('en')}</Table.Td>
    <Table.Td maw={220}>
      <Time at={progress?.lastAttempt?.time} />
      <Text size="xs" lineClamp={2}>
        {progress?.lastAttempt?.reason}
      </Text>
    </Table.Td>
  </>
)
