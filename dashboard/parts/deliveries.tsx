/** Deliveries to the CRM and to patients; those given up can be resent or removed. docs/crm.md, docs/simulators.md */
import { Anchor, Badge, Button, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import {
  ALL_STATES,
  type Attempt,
  type Delivery,
  outboxOf,
  removeDelivery,
  resendDelivery,
  resultOf,
  type SimulatedMessage,
} from '../api/outbox.ts'
import { referenceParts } from '../fhir/names.ts'
import { phoneText } from '../fhir/phones.ts'
import { useClinic } from './clinic-context.tsx'
import { PageLink } from './links.tsx'
import { ListTable } from './list-table.tsx'
import { Empty, Loaded } from './page-states.tsx'
import { Time } from './times.tsx'
import { doLater, tellProblem } from './undo.tsx'

const STATES = [
  { value: 'dead', label: 'Given up' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'sent', label: 'Sent' },
]
const EVERY = { value: ALL_STATES, label: 'All' }

interface DeliveriesProps {
  readonly state: string
  readonly onState: (state: string) => void
  /** Whether all states can be shown at once. */
  readonly hasAll?: boolean
}

export function Deliveries({ state, onState, hasAll = false }: DeliveriesProps) {
  const { id } = useClinic()
  const query = useQuery(outboxOf(id, state))
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Which deliveries"
        data={hasAll ? [EVERY, ...STATES] : STATES}
        value={state}
        onChange={onState}
        w="fit-content"
      />
      <Loaded query={query}>
        {({ messages, isCut }) =>
          messages.length === 0 ? (
            <Nothing state={state} />
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

const TITLES: Readonly<Record<string, string>> = {
  dead: 'Nothing was given up',
  waiting: 'Nothing is waiting',
  sent: 'Nothing was sent to a simulator',
  [ALL_STATES]: 'Nothing was sent yet',
}

const Nothing = ({ state }: Pick<DeliveriesProps, 'state'>) => (
  <Empty icon="check" title={TITLES[state] ?? 'Nothing is here'}>
    Deliveries to the CRM, and messages to patients, are tried for two days. Those given up after that are listed here,
    to be replayed once the cause is removed; and what the simulators of the CRM and of messages have taken.
  </Empty>
)

function DeliveryTable({ messages }: { readonly messages: readonly Delivery[] }) {
  const [removed, setRemoved] = useState<readonly string[]>([])
  return (
    <ListTable titles={['What', 'For', 'Since', 'Tries', 'Actions']} minWidth={760}>
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
    </ListTable>
  )
}

interface DeliveryRowProps {
  readonly message: Delivery
  readonly onRemove: (isRemoved: boolean) => void
}

function DeliveryRow({ message, onRemove }: DeliveryRowProps) {
  const { messageId, state, patient, stagedAt, sentAt, tries } = message
  const patientId = referenceParts(patient?.reference)?.id
  return (
    <Table.Tr>
      <Table.Td maw={480}>
        <What delivery={message} />
      </Table.Td>
      <Table.Td>
        {patientId !== undefined && (
          <PageLink to={`/patients/${patientId}`}>{patient?.display ?? 'The patient'}</PageLink>
        )}
      </Table.Td>
      <Table.Td>
        <Time at={sentAt ?? stagedAt} />
      </Table.Td>
      <Table.Td>
        <span className="number">{tries}</span>
        <Attempts attempts={message.attempts} />
      </Table.Td>
      <Table.Td>{state === 'dead' && <RowActions messageId={messageId} onRemove={onRemove} />}</Table.Td>
    </Table.Tr>
  )
}

const LOOKS: Readonly<Record<string, { readonly label: string; readonly color?: string; readonly variant: string }>> = {
  sent: { label: 'sent', color: 'cyan', variant: 'filled' },
  waiting: { label: 'waiting', variant: 'default' },
  dead: { label: 'given up', color: 'red', variant: 'filled' },
}

function What({ delivery }: { readonly delivery: Delivery }) {
  const { state, reason, nextTry, contact, message } = delivery
  const { label, ...look } = LOOKS[state] ?? { label: state, variant: 'default' }
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          <Title delivery={delivery} />
        </Text>
        <Badge {...look} size="sm">
          {label}
        </Badge>
      </Group>
      {message !== undefined && <Message message={message} />}
      {contact !== undefined && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {Object.values(contact).join(' · ')}
        </Text>
      )}
      {reason !== undefined && <Text size="sm">{reason}</Text>}
      {nextTry !== undefined && state === 'waiting' && (
        <Text size="sm" c="dimmed">
          next try <Time at={nextTry} />
        </Text>
      )}
    </>
  )
}

function Title({ delivery: { type, message, subscription } }: { readonly delivery: Delivery }) {
  const of = referenceParts(subscription?.reference)?.id
  if (of !== undefined) return <PageLink to={`/events/${of}`}>Events of a Subscription</PageLink>
  if (message === undefined) return type === 'contact' ? 'Contact for the CRM' : 'Message to the patient'
  return (
    <>
      {message.channel === 'sms' ? 'Text message' : 'E-mail'} to <bdi>{phoneText(message.to)}</bdi>
    </>
  )
}

/** The message itself, which goes to a simulator. */
const Message = ({ message: { text, link, expiresAt } }: { readonly message: SimulatedMessage }) => (
  <>
    <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {text}
    </Text>
    {link !== undefined && /^https?:/.test(link) && (
      <Anchor size="sm" href={link} target="_blank" rel="noreferrer" style={{ overflowWrap: 'anywhere' }}>
        {link}
      </Anchor>
    )}
    {expiresAt !== undefined && (
      <Text size="sm" c="dimmed">
        until <Time at={expiresAt} />
      </Text>
    )}
  </>
)

function tellResult(after: Delivery | undefined): void {
  if (after === undefined) notifications.show({ message: 'The delivery is sent.' })
  else if (after.reason !== undefined) tellProblem(new Error(`The delivery failed again: ${after.reason}`))
  else notifications.show({ message: 'The delivery waits to be tried. The list shows what comes of it.' })
}

/** The last attempt, and those before it behind a fold, the newest first. */
function Attempts({ attempts = [] }: Pick<Delivery, 'attempts'>) {
  const [last, ...earlier] = attempts.toReversed()
  if (last === undefined) return null
  return (
    <>
      <AttemptLine attempt={{ ...last, reason: undefined }} />
      {earlier.length > 0 && (
        <details>
          <summary>
            <Text span size="sm">
              {earlier.length} earlier
            </Text>
          </summary>
          {earlier.map((attempt) => (
            <AttemptLine key={attempt.time} attempt={attempt} />
          ))}
        </details>
      )}
    </>
  )
}

/** When it was, its requests in the journal, and why it failed. */
const AttemptLine = ({ attempt: { time, reason, exchanges = [] } }: { readonly attempt: Attempt }) => (
  <Text size="sm" className="prose">
    <Time at={time} />
    {exchanges.map((id, index) => (
      <Fragment key={id}>
        {' '}
        <PageLink to={`/journal/${id}`}>{exchanges.length === 1 ? 'Request' : `Request ${index + 1}`}</PageLink>
      </Fragment>
    ))}
    {reason !== undefined && (
      <Text span size="sm" c="dimmed" display="block">
        {reason}
      </Text>
    )}
  </Text>
)

function RowActions({ messageId, onRemove }: { readonly messageId: string } & Pick<DeliveryRowProps, 'onRemove'>) {
  const { id } = useClinic()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const refresh = () => client.invalidateQueries({ queryKey: ['outbox'] })
  const resend = async () => {
    setBusy(true)
    try {
      await resendDelivery(id, messageId)
      tellResult(await resultOf(id, messageId))
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
        Send again
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={remove}>
        Remove
      </Button>
    </Group>
  )
}
