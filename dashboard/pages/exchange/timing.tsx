/** The parts of the duration of an exchange, as a bar and in words. */
import { Group, Text } from '@mantine/core'
import type { Exchange } from '../../api/exchanges.ts'
import { Panel } from '../../parts/panel.tsx'
import classes from './timing.module.css'

const PARTS = [
  { name: 'waiting', text: 'waiting for its turn' },
  { name: 'work', text: 'work until the response was ready' },
  { name: 'sending', text: 'sending it' },
] as const

export function TimingPanel({ exchange: { timing, duration } }: { readonly exchange: Exchange }) {
  if (timing === undefined) return null
  return (
    <Panel title="Time" aside={<Text size="sm">{durationText(duration)}</Text>}>
      <div className={classes.bar} aria-hidden="true">
        {PARTS.map(({ name }) => (
          <div key={name} className={classes[name]} style={{ flexGrow: timing[name] }} />
        ))}
      </div>
      <Group gap="md" mt="xs">
        {PARTS.map(({ name, text }) => (
          <Text key={name} size="sm">
            <span className={`${classes.key} ${classes[name]}`} /> {durationText(timing[name])} {text}
          </Text>
        ))}
      </Group>
    </Panel>
  )
}

export const durationText = (milliseconds: number): string =>
  `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`
