/** One tool call of a conversation: what was said, what was understood, what was stored, and what the agent says. */
import { Badge, Code, Group, Stack, Table, Text } from '@mantine/core'
import { memo, useState } from 'react'
import { type LoggedCall, outcomeOf } from '../../fhir/calls.ts'
import { PageLink } from '../../parts/links.tsx'
import { Seconds } from '../../parts/times.tsx'
import { type Stated, statedIn, type Turn } from './conversation.ts'
import { Writes } from './writes.tsx'

export const TurnView = memo(({ turn }: { readonly turn: Turn }) => {
  const { entry, requested, writes } = turn
  const { say } = outcomeOf(entry?.result)
  return (
    <Stack component="article" gap={6} aria-label={turn.tool}>
      <TurnHead turn={turn} />
      {entry === undefined ? (
        <Text size="sm" c="dimmed">
          {requested?.isRepeat
            ? 'It was a repeat, which got the stored result.'
            : 'The log has no entry of it: its tool was not run.'}
        </Text>
      ) : entry.arguments === undefined ? (
        <TextBlock text={entry.argumentsText} />
      ) : (
        <StatedTable stated={statedIn(entry)} />
      )}
      {writes.length > 0 && <Writes writes={writes} />}
      {say !== undefined && <Text size="sm">“{say}”</Text>}
      {entry !== undefined && <Result entry={entry} />}
    </Stack>
  )
})

/** Drawn when it is opened, as a long call has many. */
function Result({ entry: { result, resultText } }: { readonly entry: LoggedCall }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Text span size="xs" c="dimmed">
          Result
        </Text>
      </summary>
      {isOpen && <TextBlock text={result === undefined ? resultText : JSON.stringify(result, undefined, 2)} />}
    </details>
  )
}

const TextBlock = ({ text }: { readonly text: string }) => (
  <Code block style={{ whiteSpace: 'pre-wrap' }} mah={240} tabIndex={0}>
    {text}
  </Code>
)

function TurnHead({ turn: { tool, at, entry, requested, latency } }: { readonly turn: Turn }) {
  const { isRefused, code } = entry === undefined ? refusalOf(requested) : outcomeOf(entry.result)
  return (
    <Group gap="xs">
      <Seconds at={at} />
      <Text size="sm" fw={600} className="mono">
        {tool}
      </Text>
      {code !== undefined && (
        <Badge color={isRefused ? 'red' : 'gray'} variant={isRefused ? 'filled' : 'default'} size="sm">
          {code}
        </Badge>
      )}
      {latency !== undefined && (
        <Text size="xs" c="dimmed" className="number">
          {Math.round(latency)} ms
        </Text>
      )}
      {requested !== undefined && (
        <Text size="xs">
          <PageLink to={`/journal/${requested.exchange.id}`}>
            {requested.of === 1 ? 'Request' : `Request, ${requested.place} of ${requested.of}`}
          </PageLink>
        </Text>
      )}
    </Group>
  )
}

const refusalOf = (requested: Turn['requested']) => ({
  isRefused: requested?.tool.success === false,
  code: requested?.tool.code,
})

function StatedTable({ stated }: { readonly stated: readonly Stated[] }) {
  if (stated.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No arguments.
      </Text>
    )
  const isUnderstood = stated.some(({ understood, problem }) => understood !== undefined || problem !== undefined)
  return (
    <Table layout="fixed" verticalSpacing={2} withRowBorders={false} fz="sm">
      <Table.Thead>
        <Table.Tr c="dimmed" fz="xs">
          <Table.Th w="32%">Argument</Table.Th>
          <Table.Th>Said</Table.Th>
          {isUnderstood && <Table.Th>Understood</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {stated.map(({ argument, said, understood, problem }) => (
          <Table.Tr key={argument}>
            <Table.Th scope="row" className="mono" fw={400}>
              {argument}
            </Table.Th>
            <Table.Td>
              <bdi>{said}</bdi>
            </Table.Td>
            {isUnderstood && (
              <Table.Td>
                {understood !== undefined && <bdi>{understood}</bdi>}
                {problem !== undefined && <Text size="sm">{problem}</Text>}
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
