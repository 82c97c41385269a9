/** One exchange: the request, the response and its reason; it can be replayed, or copied as a curl command. */
import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import { now } from '../../api/clock.ts'
import { useExchange, type WholeExchange } from '../../api/exchanges.ts'
import { callText } from '../../fhir/calls.ts'
import { relativeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { CopyLink } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { LinkButton, PageLink } from '../../parts/links.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/times.tsx'
import { Beside } from './beside.tsx'
import { CopyMenu } from './copy-menu.tsx'
import { MessageView } from './message-view.tsx'
import { ReplayPanel, useReplayOf } from './replay.tsx'
import { durationText, TimingPanel } from './timing.tsx'
import { ToolCalls } from './tool-calls.tsx'

export function ExchangePage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string }
  const { id: clinic } = useClinic()
  const search = useSearch({ strict: false }) as Readonly<Record<string, string>>
  const query = useExchange(clinic, id, true, search)
  return <Loaded query={query}>{(exchange) => <Whole key={id} exchange={exchange} search={search} />}</Loaded>
}

interface WholeProps {
  readonly exchange: WholeExchange
  /** The filters of the list that it was opened from. */
  readonly search: Readonly<Record<string, string>>
}

function Whole({ exchange, search }: WholeProps) {
  const { method, address, tools = [], request, response } = exchange
  const replay = useReplayOf(exchange)
  return (
    <Stack gap="md">
      <PageHead
        title={`${method} ${address}`}
        description={<Facts exchange={exchange} />}
        actions={
          <>
            <LinkButton
              to="/journal"
              search={search}
              size="xs"
              variant="default"
              leftSection={<Icon name="arrowLeft" size={14} />}
            >
              Requests
            </LinkButton>
            <Beside exchange={exchange} search={search} />
            <CopyLink />
            <CopyMenu exchange={exchange} />
            {isOverFhir(exchange) && (
              <LinkButton
                to="/explorer"
                search={{ method, path: address.replace(/^\//, ''), from: exchange.id }}
                size="xs"
                variant="default"
              >
                Open in the console
              </LinkButton>
            )}
            <Button
              size="xs"
              leftSection={<Icon name="play" size={14} />}
              disabled={!exchange.replay.possible}
              loading={replay.isPending}
              onClick={() => replay.mutate()}
            >
              Replay
            </Button>
          </>
        }
      />
      {exchange.replay.reason !== undefined && (
        <Text size="sm" c="dimmed">
          It cannot be replayed: {exchange.replay.reason}
        </Text>
      )}
      <ReplayPanel replay={replay} />
      {isExplained(exchange) && (
        <Panel title="Why">
          <Why exchange={exchange} />
        </Panel>
      )}
      <TimingPanel exchange={exchange} />
      {tools.length > 0 && <ToolCalls tools={tools} />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <MessageView title="Request" message={request} />
        <MessageView title="Response" message={response} />
      </SimpleGrid>
    </Stack>
  )
}

/** Whether the console can send the request: it has a token; tool calls belong to the telephone. */
const isOverFhir = ({ direction, tools = [], call }: WholeExchange): boolean =>
  direction === 'in' && tools.length === 0 && call === undefined

function Facts({ exchange }: { readonly exchange: WholeExchange }) {
  const { time, duration, user, call, run, interaction, operation, system, correlation, fault, trace } = exchange
  return (
    <Group gap="xs">
      <StatusBadge exchange={exchange} />
      <Time at={time} />
      <span>({relativeText(time, now())})</span>
      <span className="number">{durationText(duration)}</span>
      {interaction !== undefined && <Badge variant="default">{operation ?? interaction}</Badge>}
      {fault !== undefined && <Badge variant="default">fault {fault}</Badge>}
      {system !== undefined && <Badge variant="default">to {system}</Badge>}
      {user !== undefined && <bdi>{user.name}</bdi>}
      {call !== undefined && (
        <PageLink to="/calls" search={{ call }}>
          {callText(call)}
        </PageLink>
      )}
      {run !== undefined && (
        <PageLink to="/journal" search={{ run }}>
          run {run}
        </PageLink>
      )}
      {trace !== undefined && (
        <PageLink to="/journal" search={{ trace }}>
          trace {trace}
        </PageLink>
      )}
      {correlation !== undefined && <span>the client calls it {correlation}</span>}
    </Group>
  )
}

const isExplained = ({ outcome, reason, cause, replayOf }: WholeExchange): boolean =>
  outcome !== 'ok' || [reason, cause, replayOf].some((one) => one !== undefined)

function Why({ exchange: { reason, outcome, cause, replayOf } }: { readonly exchange: WholeExchange }) {
  return (
    <Stack gap={4}>
      {reason !== undefined ? (
        <Text size="sm">
          <b>{reason.code}</b>: {reason.text}
        </Text>
      ) : (
        outcome !== 'ok' && <Text size="sm">{OUTCOMES[outcome]}</Text>
      )}
      {cause !== undefined && <PageLink to={`/journal/${cause}`}>The request that caused it</PageLink>}
      {replayOf !== undefined && <PageLink to={`/journal/${replayOf}`}>The request that it repeats</PageLink>}
    </Stack>
  )
}

const OUTCOMES = {
  refused: 'The request was refused.',
  failed: 'The request failed.',
  left: 'The client disconnected before the response.',
  broken: 'A fault broke the connection.',
}
