/** One Subscription: its events, the attempts to deliver them with their requests, sending again, and test events. */
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Subscription } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { deleteSubscription, SENT, topics, type Watched, watchedOf } from '../../api/subscriptions.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { contentOf, filtersOf, isToTopic, limitsOf, subscriptionTitle, typesOf } from '../../fhir/subscriptions.ts'
import type { Topic } from '../../fhir/topics.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Icon } from '../../parts/icon.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time, ZoneNote } from '../../parts/times.tsx'
import { doLater } from '../../parts/undo.tsx'
import { useGo } from '../../parts/use-go.ts'
import { AttemptList } from './attempt-list.tsx'
import { EventTable } from './event-table.tsx'
import { StatusBadge, SwitchButton } from './subscription-parts.tsx'
import { TestEvent } from './test-event.tsx'
import { useActivation } from './use-activation.ts'

export function SubscriptionPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string }
  const query = useGet<Subscription>(`Subscription/${id}`)
  const known = useQuery(topics)
  return (
    <Loaded query={{ ...query, data: known.isPending ? undefined : query.data }} rows={8}>
      {(subscription) => <SubscriptionView key={id} subscription={subscription} known={known.data} />}
    </Loaded>
  )
}

interface SubscriptionViewProps {
  readonly subscription: Subscription
  readonly known: readonly Topic[] | undefined
}

function SubscriptionView({ subscription, known }: SubscriptionViewProps) {
  const { id = '', error } = subscription
  const { id: clinic } = useClinic()
  useFresh(clinic, ['Subscription', ...typesOf(subscription, known)], [SENT])
  useActivation([subscription])
  const [{ test }, setFilters] = useFilters({ test: '' })
  const query = useInfiniteQuery(watchedOf(clinic, id))
  const watched = query.data?.pages[0]
  return (
    <Stack gap="md">
      <PageHead
        title={subscriptionTitle(subscription, known)}
        description={<ZoneNote />}
        actions={
          <>
            <LinkButton to="/events" size="xs" variant="default" leftSection={<Icon name="arrowLeft" size={14} />}>
              Events
            </LinkButton>
            <Button size="xs" onClick={() => setFilters({ test: 'yes' })}>
              Send a test event…
            </Button>
            <DeleteButton subscription={subscription} />
          </>
        }
      />
      {error !== undefined && (
        <Alert color="red" variant="light" title="Nothing is sent any more" icon={<Icon name="warning" />} role="alert">
          {error}
        </Alert>
      )}
      <Panel title="Subscription" aside={<SwitchButton subscription={subscription} />}>
        <Facts facts={factsOf(subscription)} />
      </Panel>
      <Loaded query={{ ...query, data: watched }} rows={4}>
        {(first) => (
          <>
            <Panel title="Attempts">
              <Waiting watched={first} />
              <AttemptList attempts={first.attempts} />
            </Panel>
            <Panel title="Events" aside={<Text size="sm">{countText(first)}</Text>}>
              <EventTable subscription={id} events={query.data?.pages.flatMap(({ log }) => log) ?? []} />
              {query.hasNextPage && (
                <Button
                  mt="sm"
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => query.fetchNextPage()}
                >
                  Show earlier events
                </Button>
              )}
            </Panel>
          </>
        )}
      </Loaded>
      {test !== '' && <TestEvent subscription={subscription} known={known} onClose={() => setFilters({ test: '' })} />}
    </Stack>
  )
}

const countText = ({ events, undelivered }: Watched): string =>
  `${events.toLocaleString('en')}, of which ${undelivered.toLocaleString('en')} wait`

/** When the next attempt is, where something waits. */
const Waiting = ({ watched: { delivery } }: { readonly watched: Watched }) => (
  <Text size="sm" mb="xs" role="status">
    {delivery === undefined && 'Nothing waits to be delivered.'}
    {delivery?.state === 'dead' && `Given up after ${delivery.tries} tries. Send an event again, or try again above.`}
    {delivery?.state === 'waiting' && delivery.reason === undefined && 'An attempt is under way.'}
    {delivery?.state === 'waiting' && delivery.reason !== undefined && (
      <>
        Next attempt: <Time at={delivery.nextTry} />
      </>
    )}
  </Text>
)

function factsOf(subscription: Subscription): readonly Fact[] {
  const { criteria, reason, end, channel } = subscription
  return [
    ['Status', <StatusBadge key="status" subscription={subscription} />],
    [isToTopic(subscription) ? 'Topic' : 'Criteria', <Mono key="criteria" text={criteria ?? ''} />],
    ['Filters', lines(filtersOf(subscription))],
    ['Channel', channel?.type],
    ['Endpoint', channel?.endpoint && <Mono key="endpoint" text={channel.endpoint} />],
    ['Content', contentOf(subscription)],
    ['Headers', lines(channel?.header ?? [])],
    ['Reason', reason && <bdi key="reason">{reason}</bdi>],
    ...limitsOf(subscription),
    ['Until', end && <Time at={end} />],
  ]
}

const lines = (texts: readonly (string | null)[]) =>
  texts.length > 0 && texts.map((text) => text !== null && <Mono key={text} text={text} />)

const Mono = ({ text }: { readonly text: string }) => (
  <Text className="mono" size="sm" style={{ overflowWrap: 'anywhere' }}>
    {text}
  </Text>
)

function DeleteButton({ subscription }: { readonly subscription: Subscription }) {
  const client = useQueryClient()
  const go = useGo()
  const remove = () => {
    const act = async () => {
      await deleteSubscription(subscription)
      await client.invalidateQueries({ queryKey: ['Subscription'] })
    }
    const path = `/events/${subscription.id}`
    doLater('The Subscription is deleted, with its events.', {
      things: [`Subscription/${subscription.id}`],
      act,
      undone: () => go(path),
    })
    go('/events')
  }
  return (
    <Button size="xs" variant="default" onClick={remove}>
      Delete
    </Button>
  )
}
