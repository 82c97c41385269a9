/** Replaying a request, and the differences of its response. */
import { Group, Table, Text } from '@mantine/core'
import { type Replay, useReplay, type WholeExchange } from '../../api/exchanges.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { ErrorView } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'

export const useReplayOf = ({ id }: WholeExchange) => useReplay(useClinic().id, id)

interface ReplayState {
  readonly data: Replay | undefined
  readonly error: unknown
}

export function ReplayPanel({ replay: { data, error } }: { readonly replay: ReplayState }) {
  if (error) return <ErrorView error={error} />
  if (data === undefined) return null
  const { exchange, status, duration, same, differences, isMore, hasBodies } = data
  return (
    <Panel title="Replay" aside={<PageLink to={`/journal/${exchange}`}>its exchange</PageLink>}>
      <Group gap="xs" mb="xs">
        <Text size="sm" role="status">
          {same ? 'The same response' : 'A different response'}: {status}, {Math.round(duration)} ms.
          {hasBodies ? '' : ' The bodies are not kept whole, so they were not compared.'}
        </Text>
      </Group>
      {differences.length > 0 && (
        <Table layout="fixed" verticalSpacing={4} withRowBorders={false}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="34%">Where</Table.Th>
              <Table.Th>Then</Table.Th>
              <Table.Th>Now</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(({ at, before, after }) => (
              <Table.Tr key={at}>
                <Table.Td className="mono">{at}</Table.Td>
                <Table.Td className="mono">{shown(before)}</Table.Td>
                <Table.Td className="mono">{shown(after)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {isMore && <Text size="sm">There are more differences than these.</Text>}
    </Panel>
  )
}

const shown = (value: unknown): string =>
  value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
