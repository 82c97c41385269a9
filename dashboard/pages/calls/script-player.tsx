/** Plays a whole call from a script, as `npm run call` does: one of those that are shipped, or a file. */
import { Button, Checkbox, Code, FileButton, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type PlayedCall, readScript } from '../../api/call-script.ts'
import { exampleNames, exampleScript } from '../../api/example-scripts.ts'
import type { Line } from '../../api/tools.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorView } from '../../parts/page-states.tsx'
import { type Speed, usePlayer } from './use-player.ts'

interface ScriptPlayerProps {
  readonly line: Line
  readonly onCall: (call: string) => void
}

const SPEEDS: readonly { readonly value: Speed; readonly label: string }[] = [
  { value: 'at-once', label: 'At once' },
  { value: 'natural', label: 'At natural speed' },
  { value: 'by-step', label: 'Step by step' },
]

export function ScriptPlayer({ line, onCall }: ScriptPlayerProps) {
  const player = usePlayer(line, onCall)
  const [name, setName] = useState(exampleNames.find((one) => one.startsWith('scheduling')) ?? exampleNames[0] ?? '')
  const [speed, setSpeed] = useState<Speed>('at-once')
  const [goesOn, setGoesOn] = useState(false)
  const play = (script: Promise<PlayedCall>) =>
    script.then((read) => player.play({ script: read, speed, goesOn }), player.fail)
  return (
    <Stack gap="sm" component="section" aria-label="Play a call">
      <Group grow align="end" gap="sm" preventGrowOverflow={false}>
        {exampleNames.length > 0 && (
          <NativeSelect
            label="Script"
            data={[...exampleNames]}
            value={name}
            disabled={player.isPlaying}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        <NativeSelect
          label="Speed"
          data={[...SPEEDS]}
          value={speed}
          disabled={player.isPlaying}
          onChange={(event) => setSpeed(event.currentTarget.value as Speed)}
        />
      </Group>
      <Checkbox
        label="Go on after a step that fails"
        checked={goesOn}
        onChange={(event) => setGoesOn(event.currentTarget.checked)}
      />
      <Group gap="sm">
        <Button
          disabled={name === '' && !player.isPlaying}
          leftSection={<Icon name={player.isPlaying ? 'close' : 'play'} size={14} />}
          onClick={() => (player.isPlaying ? player.stop() : void play(exampleScript(name)))}
        >
          {player.isPlaying ? 'Stop' : 'Play'}
        </Button>
        {player.isPlaying && speed === 'by-step' && (
          <Button variant="default" onClick={() => player.next?.()}>
            Next step
          </Button>
        )}
        <FileButton
          accept="application/json,.json"
          onChange={(file) => file !== null && void play(file.text().then(readScript))}
        >
          {(props) => (
            <Button {...props} variant="default" disabled={player.isPlaying}>
              Play a call from a file
            </Button>
          )}
        </FileButton>
      </Group>
      <Text size="sm" c="dimmed" role="status" mih="1.5em">
        {player.progress || 'A file is a JSON file such as those in examples/, or a call that was saved as a script.'}
      </Text>
      {player.lines.length > 0 && (
        <Code block style={{ whiteSpace: 'pre-wrap' }} mah={400} tabIndex={0} role="log" aria-label="The call">
          {player.lines.join('\n')}
        </Code>
      )}
      {player.error !== undefined && <ErrorView error={player.error} />}
    </Stack>
  )
}
