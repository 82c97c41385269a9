/** The tool calls, the newest first, with their arguments, results and the agent's sentence. */
import { Badge, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { Communication } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { callName, callNote } from '../../fhir/calls.ts'
import { conceptText } from '../../fhir/names.ts'
import { secondsText, timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { callIdOf } from './call-list.tsx'

interface CallLogProps {
  /** '': of all calls. */
  readonly call: string
  readonly onChoose: (call: string) => void
}

export function CallLog({ call, onChoose }: CallLogProps) {
  const query = useSearch(
    'Communication',
    [...(call === '' ? [] : ([['identifier', call]] as const)), ['_sort', '-sent'], ['_count', '50']],
    { keepsPrevious: true },
  )
  const note = callNote(call)
  return (
    <Panel title={call === '' ? 'Tool calls' : `Tool calls of ${note === undefined ? call : 'the default call'}`}>
      {note !== undefined && (
        <Text size="sm" c="dimmed" mb="sm">
          {note}
        </Text>
      )}
      <Loaded query={query}>
        {(bundle) => {
          const calls = matchesIn<Communication>(bundle)
          return calls.length === 0 ? (
            <Empty icon="call" title="Nobody has called yet">
              Tool calls show up here as a voice platform makes them. The telephone on this page makes some.
            </Empty>
          ) : (
            <Stack gap="sm" role="log" aria-label="Tool calls">
              {calls.map((one) => (
                <Entry key={one.id} entry={one} onChoose={call === '' ? onChoose : undefined} />
              ))}
            </Stack>
          )
        }}
      </Loaded>
    </Panel>
  )
}

interface EntryProps {
  readonly entry: Communication
  readonly onChoose: ((call: string) => void) | undefined
}

function Entry({ entry, onChoose }: EntryProps) {
  const { timeZone } = useClinic()
  const { sent, topic, payload = [] } = entry
  const given = payload[0]?.contentString ?? '{}'
  const result = payload[1]?.contentString ?? '{}'
  const { say, isRefused, code } = outcomeOf(result)
  const call = callIdOf(entry)
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        {sent !== undefined && (
          <time className="number" dateTime={sent} title={timeText(sent, timeZone)}>
            <Text span size="sm" c="dimmed">
              {secondsText(sent, timeZone)}
            </Text>
          </time>
        )}
        <Text size="sm" fw={600} className="mono cut">
          {conceptText(topic)}
        </Text>
        {isRefused && (
          <Badge color="red" variant="filled" size="sm">
            {code}
          </Badge>
        )}
        {onChoose !== undefined && (
          <UnstyledButton onClick={() => onChoose(call)} title={callNote(call)} miw={0}>
            <Text size="xs" c="dimmed" className="cut" td="underline">
              {callName(call)}
            </Text>
          </UnstyledButton>
        )}
      </Group>
      {say !== undefined && (
        <Text size="sm" my={2}>
          “{say}”
        </Text>
      )}
      <Code block style={{ whiteSpace: 'pre-wrap' }} mah={160} tabIndex={0}>
        {given} → {result}
      </Code>
    </div>
  )
}

function outcomeOf(result: string): { readonly say?: string; readonly isRefused: boolean; readonly code: string } {
  try {
    const { say, success, valid, code = 'refused' } = JSON.parse(result)
    return { ...(typeof say === 'string' ? { say } : {}), isRefused: success === false || valid === false, code }
  } catch {
    // It is cut.
    return { isRefused: false, code: '' }
  }
}
