/** Failed deliveries to the CRM or to patients, to resend or remove: docs/crm.md. */
import { Button, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Delivery, outboxOf, removeDelivery, resendDelivery } from '../../api/outbox.ts'
import { referenceParts } from '../../fhir/names.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Time } from '../../parts/times.tsx'
import { doLater, tellProblem } from '../../parts/undo.tsx'

const STATES = [
  { value: 'dead', label: 'Given up' },
  { value: 'waiting', label: 'Waiting' },
]

interface DeliveriesProps {
  readonly state: string
  readonly onState: (state: string) => void
}

export function Deliveries({ state, onState }: DeliveriesProps) {
  const { id } = useClinic()
  const query = useQuery(outboxOf(id, state))
  return (
    <Stack gap="sm">
      <SegmentedControl aria-label="Which deliveries" data={STATES} value={state} onChange={onState} w="fit-content" />
      <Loaded query={query}>
        {({ messages, isCut }) =>
          messages.length === 0 ? (
            <Empty icon="check" title={state === 'dead' ? 'Nothing was given up' : 'Nothing is waiting'}>
              Deliveries to the CRM, and messages to patients, are tried for two days. Those given up after that are
              listed here, to be replayed once the cause is removed.
            </Empty>
          ) : (
            <>
              <DeliveryTable messages={messages} />
              {isCut && <Text size="sm">There are more; these are the newest.</Text>}
            </>
          )
        }
      </Loaded>
    </Stack>
  )
}

function DeliveryTable({ messages }: { readonly messages: readonly Delivery[] }) {
  const [removed, setRemoved] = useState<readonly string[]>([])
  return (
    <Table.ScrollContainer minWidth={640} className="card">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {['What', 'For', 'Why', 'Since', 'Tries', 'Actions'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {messages
            .filter(({ messageId }) => !removed.includes(messageId))
            .map((message) => (
              <DeliveryRow
                key={message.messageId}
                message={message}
                onRemove={(isRemoved) =>
                  setRemoved((before) =>
                    isRemoved ? [...before, message.messageId] : before.filter((one) => one !== message.messageId),
                  )
                }
              />
            ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface DeliveryRowProps {
  readonly message: Delivery
  readonly onRemove: (isRemoved: boolean) => void
}

function DeliveryRow({ message, onRemove }: DeliveryRowProps) {
  const { messageId, type, state, patient, reason, stagedAt, tries } = message
  const patientId = referenceParts(patient?.reference)?.id
  return (
    <Table.Tr>
      <Table.Td>{type === 'contact' ? 'Contact for the CRM' : 'Message to the patient'}</Table.Td>
      <Table.Td>
        {patientId !== undefined && (
          <PageLink to={`/patients/${patientId}`}>{patient?.display ?? 'The patient'}</PageLink>
        )}
      </Table.Td>
      <Table.Td>{reason}</Table.Td>
      <Table.Td>
        <Time at={stagedAt} />
      </Table.Td>
      <Table.Td className="number">{tries}</Table.Td>
      <Table.Td>{state === 'dead' && <RowActions messageId={messageId} onRemove={onRemove} />}</Table.Td>
    </Table.Tr>
  )
}

function RowActions({ messageId, onRemove }: { readonly messageId: string } & Pick<DeliveryRowProps, 'onRemove'>) {
  const { id } = useClinic()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const refresh = () => client.invalidateQueries({ queryKey: ['outbox'] })
  const resend = async () => {
    setBusy(true)
    try {
      await resendDelivery(id, messageId)
    } catch (error) {
      tellProblem(error)
    } finally {
      setBusy(false)
      await refresh()
    }
  }
  const remove = () => {
    onRemove(true)
    const act = async () => {
      await removeDelivery(id, messageId)
      await refresh()
    }
    doLater('The delivery is taken off the list.', {
      things: [`outbox/${messageId}`],
      act,
      undone: () => onRemove(false),
    })
  }
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="compact-sm" variant="default" loading={isBusy} onClick={resend}>
        Replay
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={remove}>
        Remove
      </Button>
    </Group>
  )
}
