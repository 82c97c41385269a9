/** The parts of the duration of an exchange, as a bar and in words. */
import { Group, Text } from '@mantine/core'
import type { Exchange } from '../../api/exchanges.ts'
import { Panel } from '../../parts/panel.tsx'
import classes from './timing.module.css'

const partsOf = ({ waiting, work, store, sending }: NonNullable<Exchange['timing']>) => [
  { name: 'waiting', time: waiting, text: 'waiting for its turn' },
  ...(store === undefined
    ? [{ name: 'work', time: work, text: 'work until the response was ready' }]
    : [
        { name: 'store', time: store, text: 'waiting for the store' },
        { name: 'work', time: work - store, text: 'other work until the response was ready' },
      ]),
  { name: 'sending', time: sending, text: 'sending it' },
]

export function TimingPanel({ exchange: { timing, duration } }: { readonly exchange: Exchange }) {
  if (timing === undefined) return null
  const parts = partsOf(timing)
  return (
    <Panel title="Time" aside={<Text size="sm">{durationText(duration)}</Text>}>
      <div className={classes.bar} aria-hidden="true">
        {parts.map(({ name, time }) => (
          <div key={name} className={classes[name]} style={{ flexGrow: time }} />
        ))}
      </div>
      <Group gap="md" mt="xs">
        {parts.map(({ name, time, text }) => (
          <Text key={name} size="sm">
            <span className={`${classes.key} ${classes[name]}`} /> {durationText(time)} {text}
          </Text>
        ))}
      </Group>
    </Panel>
  )
}

export const durationText = (milliseconds: number): string =>
  `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`
