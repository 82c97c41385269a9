/**
 * The attempts to deliver events: when, which, how they ended, and their requests and responses in the journal. Lines that wrap, as a
 * table that scrolls would move what is below it.
 */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { DeliveryAttempt } from '../../api/subscriptions.ts'
import { PageLink } from '../../parts/links.tsx'
import { Time } from '../../parts/times.tsx'

export function AttemptList({ attempts }: { readonly attempts: readonly DeliveryAttempt[] }) {
  if (attempts.length === 0) return <Text size="sm">There was no attempt yet.</Text>
  return (
    <Stack component="ul" gap={0} m={0} p={0} aria-label="Attempts" style={{ listStyle: 'none' }}>
      {attempts.map((attempt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two attempts may be of the same time
        <Group component="li" key={`${attempt.time} ${index}`} gap="sm" mih={40}>
          <Time at={attempt.time} />
          <Result attempt={attempt} />
          <Text size="sm">{eventsText(attempt)}</Text>
          <Requests ids={attempt.exchanges ?? []} />
          {attempt.reason !== undefined && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {attempt.reason}
            </Text>
          )}
        </Group>
      ))}
    </Stack>
  )
}

/** `event 3`, `events 3 to 5`, `handshake` */
function eventsText({ events, notice }: DeliveryAttempt): string {
  if (events === undefined || events.to < events.from) return notice ?? ''
  return events.from === events.to ? `event ${events.from}` : `events ${events.from} to ${events.to}`
}

const Result = ({ attempt: { reason } }: { readonly attempt: DeliveryAttempt }) => (
  <Badge size="sm" variant="filled" color={reason === undefined ? 'cyan' : 'red'}>
    {reason === undefined ? 'delivered' : 'failed'}
  </Badge>
)

/** Absent where the journal of the clinic was off. */
const Requests = ({ ids }: { readonly ids: readonly string[] }) =>
  ids.map((id, index) => (
    <PageLink key={id} to={`/journal/${id}`}>
      {ids.length === 1 ? 'Request' : `Request ${index + 1}`}
    </PageLink>
  ))
