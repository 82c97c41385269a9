/** A telephone: a call to the clinic, tool by tool as a voice platform makes it, or a whole call from a file. */
import { Button, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Line, useTools } from '../../api/tools.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ScriptPlayer } from './script-player.tsx'
import { ToolForm } from './tool-form.tsx'

/** The demo clinic's secret, which is public in docs/live-calls.md; others type their own. */
const DEMO = { clinic: 'demo-clinic', secret: 'demo-secret' }

const newCallId = (): string => `simulator-${crypto.randomUUID().slice(0, 8)}`

/** Filled in by the address: `caller`, `tool`, and arguments of tools by their names. */
export type Said = Readonly<Record<string, string | undefined>>

interface SimulatorProps {
  readonly first: Said
  readonly onCall: (call: string) => void
}

export function Simulator({ first, onCall }: SimulatorProps) {
  const { id, settings } = useClinic()
  const tools = useTools()
  const [line, setLine] = useState<Line>({
    secret: id === DEMO.clinic ? DEMO.secret : '',
    callId: newCallId(),
    dialled: settings.dialedNumbers[0] ?? '',
    caller: first.caller ?? '',
  })
  const change = (changes: Partial<Line>) => setLine((before) => ({ ...before, ...changes }))
  return (
    <Panel title="Telephone">
      <Stack gap="sm">
        {settings.dialedNumbers.length === 0 && (
          <Text className="prose" role="note">
            Callers cannot reach this clinic: it has no number yet.{' '}
            <PageLink to="/settings">Add one in the settings</PageLink>.
          </Text>
        )}
        <Group grow align="end" gap="sm" preventGrowOverflow={false}>
          <NativeSelect
            label="Dialled number"
            data={[...settings.dialedNumbers]}
            value={line.dialled}
            onChange={(event) => change({ dialled: event.currentTarget.value })}
          />
          <TextInput
            label="Number of the caller"
            placeholder="none: it is withheld"
            value={line.caller}
            onChange={(event) => change({ caller: event.currentTarget.value })}
          />
        </Group>
        <Group grow align="end" gap="sm" preventGrowOverflow={false}>
          <PasswordInput
            label="Voice secret"
            autoComplete="off"
            value={line.secret}
            onChange={(event) => change({ secret: event.currentTarget.value })}
          />
          <TextInput
            label="Call id"
            value={line.callId}
            onChange={(event) => change({ callId: event.currentTarget.value })}
          />
          <Button variant="default" flex="none" onClick={() => change({ callId: newCallId() })}>
            Hang up, call anew
          </Button>
        </Group>
        <Loaded query={tools}>
          {({ families }) => <ToolForm families={families} first={first} line={line} onCall={onCall} />}
        </Loaded>
        <ScriptPlayer line={line} onCall={onCall} />
      </Stack>
    </Panel>
  )
}
