/** The tool calls of all calls, the newest first, with their arguments, results and the agent's sentence. */
import { Badge, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { Communication } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { callName, callNote, type LoggedCall, logOf, outcomeOf } from '../../fhir/calls.ts'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Seconds } from '../../parts/times.tsx'

type OnChoose = (call: string) => void

export const useToolCalls = (isAsked = true) =>
  useSearch(
    'Communication',
    [
      ['_sort', '-sent'],
      ['_count', '50'],
    ],
    { keepsPrevious: true, enabled: isAsked },
  )

export function CallLog({ onChoose }: { readonly onChoose: OnChoose }) {
  const query = useToolCalls()
  return (
    <Panel title="Tool calls">
      <Loaded query={query}>
        {(bundle) => {
          const calls = logOf(matchesIn<Communication>(bundle)).toReversed()
          return calls.length === 0 ? (
            <Empty icon="call" title="Nobody has called yet">
              Tool calls show up here as a voice platform makes them. The telephone on this page makes some.
            </Empty>
          ) : (
            <Stack gap="sm" role="log" aria-label="Tool calls">
              {calls.map((one) => (
                <Entry key={one.id} entry={one} onChoose={onChoose} />
              ))}
            </Stack>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function Entry({ entry, onChoose }: { readonly entry: LoggedCall; readonly onChoose: OnChoose }) {
  const { callId: call, sent, tool, argumentsText, resultText } = entry
  const { say, isRefused, code = 'refused' } = outcomeOf(entry.result)
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <Seconds at={sent} />
        <Text size="sm" fw={600} className="mono cut">
          {tool}
        </Text>
        {isRefused && (
          <Badge color="red" variant="filled" size="sm">
            {code}
          </Badge>
        )}
        <UnstyledButton onClick={() => onChoose(call)} title={callNote(call)} miw={0}>
          <Text size="xs" c="dimmed" className="cut" td="underline">
            {callName(call)}
          </Text>
        </UnstyledButton>
      </Group>
      {say !== undefined && (
        <Text size="sm" my={2}>
          “{say}”
        </Text>
      )}
      <details>
        <Text component="summary" size="xs" c="dimmed">
          Arguments and result
        </Text>
        <Code block style={{ whiteSpace: 'pre-wrap' }} mah={160} mt={4} tabIndex={0}>
          {argumentsText} → {resultText}
        </Code>
      </details>
    </div>
  )
}
