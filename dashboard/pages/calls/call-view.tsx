/** One call: its head, and its conversation in the order in which it went. */
import { Box, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { callName, callNote } from '../../fhir/calls.ts'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { CallHead } from './call-head.tsx'
import { SaveScript } from './save-script.tsx'
import { TurnView } from './turn-view.tsx'
import { type ShownCall, useCall } from './use-call.ts'
import { Writes } from './writes.tsx'

export function CallView({ callId }: { readonly callId: string }) {
  const query = useCall(callId)
  const note = callNote(callId)
  return (
    <>
      <Panel title={note === undefined ? `Call ${callName(callId)}` : callName(callId)} minHeight={230}>
        <Loaded query={query} rows={6}>
          {(call) => <CallHead call={call} />}
        </Loaded>
      </Panel>
      <Panel
        title={`Tool calls of ${note === undefined ? callId : 'the default call'}`}
        aside={<SaveScript callId={callId} />}
      >
        {note !== undefined && (
          <Text size="sm" c="dimmed" mb="sm">
            {note}
          </Text>
        )}
        <Loaded query={query}>{(call) => <Conversation call={call} />}</Loaded>
      </Panel>
    </>
  )
}

function Conversation({ call: { turns, otherWrites, recording, isCut } }: { readonly call: ShownCall }) {
  const box = useStaysAtEnd(turns.length, !recording.hasEnded)
  if (turns.length === 0)
    return (
      <Empty icon="call" title="No tool was called yet">
        Tool calls show up here as the voice platform makes them.
      </Empty>
    )
  return (
    <Box ref={box} mah="75vh" style={{ overflowY: 'auto' }} tabIndex={0} role="log" aria-label="Tool calls">
      <Stack gap="lg">
        {isCut && (
          <Text size="sm" c="dimmed">
            Of this call the latest {turns.length} tool calls are shown.
          </Text>
        )}
        {turns.map((turn) => (
          <TurnView key={turn.key} turn={turn} />
        ))}
        {otherWrites.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              Stored besides
            </Text>
            <Writes writes={otherWrites} />
          </div>
        )}
      </Stack>
    </Box>
  )
}

/** Pixels from the end within which the list counts as scrolled to it. */
const NEAR = 80

/** A list that shows its newest entry, for as long as nobody scrolls up. */
function useStaysAtEnd(count: number, isLive: boolean) {
  const box = useRef<HTMLDivElement>(null)
  const height = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls where entries are added
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const wasAtEnd = current.scrollTop + current.clientHeight >= height.current - NEAR
    if (isLive && wasAtEnd) current.scrollTop = current.scrollHeight
    height.current = current.scrollHeight
  }, [count, isLive])
  return box
}
