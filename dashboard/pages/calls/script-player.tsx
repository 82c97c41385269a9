/** Plays a call from a file, as `npm run call` does. */
import { Button, Code, FileButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { filledIn, type PlayedCall, playCall, type Result } from '../../api/play-call.ts'
import { envelopeOf, type Line, resultsIn, sendOnCall, useTools } from '../../api/tools.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorView } from '../../parts/page-states.tsx'

interface ScriptPlayerProps {
  readonly line: Line
  readonly onCall: (call: string) => void
}

export function ScriptPlayer({ line, onCall }: ScriptPlayerProps) {
  const tools = useTools()
  const [lines, setLines] = useState<readonly string[]>([])
  const [error, setError] = useState<unknown>()
  const [isPlaying, setPlaying] = useState(false)

  const play = async (file: File | null): Promise<void> => {
    if (file === null) return
    setLines([])
    setError(undefined)
    setPlaying(true)
    const callId = `script-${crypto.randomUUID().slice(0, 8)}`
    const paths = new Map(tools.data?.families.flatMap((family) => family.tools).map(({ name, path }) => [name, path]))
    try {
      const call = callIn(await file.text())
      onCall(callId)
      await playOn({ ...line, callId }, call, paths, (text) => setLines((before) => [...before, text]))
    } catch (problem) {
      setError(problem)
    }
    setPlaying(false)
  }

  return (
    <Stack gap="xs">
      <Group gap="sm">
        <FileButton accept="application/json,.json" onChange={(file) => void play(file)}>
          {(props) => (
            <Button {...props} variant="default" loading={isPlaying} leftSection={<Icon name="play" size={14} />}>
              Play a call from a file
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed">
          JSON, such as those in examples/
        </Text>
      </Group>
      {lines.length > 0 && (
        <Code block style={{ whiteSpace: 'pre-wrap' }} mah={400} tabIndex={0} role="log" aria-label="The call">
          {lines.join('\n')}
        </Code>
      )}
      {error !== undefined && <ErrorView error={error} />}
    </Stack>
  )
}

/** @throws Error */
function callIn(text: string): PlayedCall {
  const call: unknown = JSON.parse(text)
  if (typeof call !== 'object' || call === null || !('steps' in call) || !Array.isArray(call.steps)) {
    throw new Error('This is no call: it has no list "steps".')
  }
  return call as PlayedCall
}

async function playOn(
  line: Line,
  call: PlayedCall,
  paths: ReadonlyMap<string, string>,
  tell: (text: string) => void,
): Promise<void> {
  const { callId } = line
  const before = new Map<string, Result>()
  if (call.abandonment !== undefined) {
    before.set('abandonment', (await sendOnCall(line, 'abandonments', call.abandonment)).body as Result)
  }
  if (call.register !== undefined) {
    await sendOnCall(line, 'calls', { callId, ...(filledIn(call.register, before, 'register') as object) })
    tell(`call ${callId} is registered`)
  }
  // Registered numbers hold, and headers that say otherwise are refused.
  const spoken = call.register === undefined ? line : { ...line, dialled: '', caller: '' }
  await playCall(
    call,
    async (tool, args) => {
      const path = paths.get(tool)
      if (path === undefined) throw new Error(`The server has no tool ${tool}`)
      return resultsIn((await sendOnCall(spoken, path, envelopeOf([args]))).body)[0] ?? {}
    },
    tell,
  )
  if (call.end === undefined) return
  await sendOnCall(spoken, `calls/${callId}/end`, call.end)
  tell(`call ${callId} has ended`)
}
