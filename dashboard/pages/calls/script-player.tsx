/** Plays a call from a file, as `npm run call` does. */
import { Button, Code, FileButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type PlayedCall, readScript } from '../../api/call-script.ts'
import { get } from '../../api/client.ts'
import { playCall, type Requests, type Result } from '../../api/play-call.ts'
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
      const call = readScript(await file.text())
      onCall(callId)
      const tell = (text: string) => setLines((before) => [...before, text])
      await playCall(call, callId, requestsOn(line, call, paths), tell)
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

function requestsOn(line: Line, { register }: PlayedCall, paths: ReadonlyMap<string, string>): Requests {
  // Registered numbers hold, and headers that say otherwise are refused.
  const spoken = register === undefined ? line : { ...line, dialled: '', caller: '' }
  const lineOf = (callId: string, path: string) => ({ ...(path === 'abandonments' ? line : spoken), callId })
  const post = async (callId: string, path: string, body: object) =>
    (await sendOnCall(lineOf(callId, path), path, body)).body as Result
  return {
    post,
    callTool: async (callId, { tool, arguments: args }) => {
      const path = paths.get(tool)
      if (path === undefined) throw new Error(`The server has no tool ${tool}`)
      return resultsIn(await post(callId, path, envelopeOf([args])))[0] ?? {}
    },
    search: (query) => get<Result>(query),
  }
}
