/** The events of a Subscription, the newest first, each to be sent again. */
import { Badge, Button, Group, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type LoggedEvent, resendEvents, SENT } from '../../api/subscriptions.ts'
import { referenceParts } from '../../fhir/names.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/times.tsx'
import { tellProblem } from '../../parts/undo.tsx'

interface EventTableProps {
  /** Subscription.id. */
  readonly subscription: string
  readonly events: readonly LoggedEvent[]
}

export function EventTable({ subscription, events }: EventTableProps) {
  if (events.length === 0) return <Text size="sm">Nothing has happened yet that it is about.</Text>
  return (
    <ListTable label="Events" titles={['Number', 'Time', 'Resource', 'Delivery', 'Actions']} minWidth={640}>
      {events.map((event) => (
        <Table.Tr key={event.number} h={44}>
          <Table.Th scope="row" className="number">
            {event.number}
          </Table.Th>
          <Table.Td>
            <Time at={event.time} />
          </Table.Td>
          <Table.Td>
            <Focus event={event} />
          </Table.Td>
          <Table.Td>
            <Badge size="sm" {...(event.isDelivered ? { color: 'cyan', variant: 'filled' } : { variant: 'default' })}>
              {event.isDelivered ? 'delivered' : 'waiting'}
            </Badge>
          </Table.Td>
          <Table.Td>
            <ResendButton subscription={subscription} number={event.number} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}

const DEEDS: Readonly<Record<string, string>> = { POST: 'created', DELETE: 'deleted' }

/** The version that the event is about. */
function Focus({ event: { focus, method, isTest } }: { readonly event: LoggedEvent }) {
  const { type, id } = referenceParts(focus.reference) ?? { type: '', id: focus.reference }
  return (
    <Group gap="xs">
      <PageLink to="/explorer" search={{ method: 'GET', path: focus.reference }}>
        {`${type}/${id}`}
      </PageLink>
      <Text size="sm" c="dimmed">
        {isTest === true ? 'test event' : (DEEDS[method] ?? 'updated')}
      </Text>
    </Group>
  )
}

interface ResendButtonProps {
  readonly subscription: string
  readonly number: number
}

/** Later events follow, as a receiver gets them in their order. */
function ResendButton({ subscription, number }: ResendButtonProps) {
  const { id } = useClinic()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const resend = async (): Promise<void> => {
    setBusy(true)
    await resendEvents(id, subscription, number).catch(tellProblem)
    await client.invalidateQueries({ queryKey: [SENT] })
    setBusy(false)
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isBusy}
      aria-label={`Send again from here: ${number}`}
      onClick={resend}
    >
      Send again from here
    </Button>
  )
}
