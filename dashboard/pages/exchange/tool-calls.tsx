/** The tool calls of a request, with their arguments and results. */
import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ToolCall } from '../../api/exchanges.ts'
import { isRecord } from '../../api/problem.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Panel } from '../../parts/panel.tsx'

export const ToolCalls = ({ tools }: { readonly tools: readonly ToolCall[] }) => (
  <Panel title={tools.length === 1 ? 'Tool call' : `${tools.length} tool calls`}>
    <Stack gap="md">
      {tools.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they do not move
        <ToolCallView key={index} call={call} />
      ))}
    </Stack>
  </Panel>
)

function ToolCallView({ call: { tool, success, code, arguments: given, result } }: { readonly call: ToolCall }) {
  const hint = isRecord(result) && typeof result.hint === 'string' ? result.hint : undefined
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text fw={600} size="sm" className="mono">
          {tool}
        </Text>
        {success === false && (
          <Badge color="red" variant="filled" size="sm">
            {code ?? 'failed'}
          </Badge>
        )}
      </Group>
      {hint !== undefined && <Text size="sm">{hint}</Text>}
      {(given !== undefined || result !== undefined) && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
          <JsonBlock label="Arguments" value={given} />
          <JsonBlock label="Result" value={result} />
        </SimpleGrid>
      )}
    </Stack>
  )
}

const JsonBlock = ({ label, value }: { readonly label: string; readonly value: unknown }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    {value === undefined ? (
      <Text size="sm">not kept</Text>
    ) : (
      <JsonView text={JSON.stringify(value)} label={`${label} as`} />
    )}
  </div>
)
