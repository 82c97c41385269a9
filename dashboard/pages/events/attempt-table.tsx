/** The attempts to deliver events: when, which, how they ended, and their requests and responses in the journal. */
import { Badge, Group, Table, Text } from '@mantine/core'
import type { DeliveryAttempt } from '../../api/subscriptions.ts'
import { PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/times.tsx'

export function AttemptTable({ attempts }: { readonly attempts: readonly DeliveryAttempt[] }) {
  if (attempts.length === 0) return <Text size="sm">There was no attempt yet.</Text>
  return (
    <ListTable label="Attempts" titles={['Time', 'Events', 'Result', 'Requests']} minWidth={560}>
      {attempts.map((attempt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two attempts may be of the same time
        <Table.Tr key={`${attempt.time} ${index}`}>
          <Table.Td>
            <Time at={attempt.time} />
          </Table.Td>
          <Table.Td className="number">{numbersText(attempt)}</Table.Td>
          <Table.Td>
            <Result attempt={attempt} />
          </Table.Td>
          <Table.Td>
            <Requests ids={attempt.exchanges ?? []} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}

/** The numbers of its events, or the notification without events that it was. */
function numbersText({ events, notice }: DeliveryAttempt): string {
  if (events === undefined || events.to < events.from) return notice ?? ''
  return events.from === events.to ? String(events.from) : `${events.from} to ${events.to}`
}

const Result = ({ attempt: { reason } }: { readonly attempt: DeliveryAttempt }) =>
  reason === undefined ? (
    <Badge size="sm" color="cyan" variant="filled">
      delivered
    </Badge>
  ) : (
    <Group gap="xs" wrap="nowrap">
      <Badge size="sm" color="red" variant="filled" flex="none">
        failed
      </Badge>
      <Text size="sm">{reason}</Text>
    </Group>
  )

/** Absent where the journal of the clinic was off. */
const Requests = ({ ids }: { readonly ids: readonly string[] }) => (
  <Group gap="xs">
    {ids.map((id, index) => (
      <PageLink key={id} to={`/journal/${id}`}>
        {ids.length === 1 ? 'Request' : `Request ${index + 1}`}
      </PageLink>
    ))}
  </Group>
)
