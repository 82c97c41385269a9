/** The result of a step or of a run, by an icon and a word as well as by a colour. */
import { Badge } from '@mantine/core'
import type { Verdict } from '../api/rehearsal-answers.ts'
import { Icon, type IconName } from './icon.tsx'

interface Look {
  readonly icon: IconName
  /** Filled with it; absent: no colour. */
  readonly color?: string
  /** Its meaning, as a tooltip. */
  readonly title: string
}

const LOOKS: Readonly<Record<Verdict, Look>> = {
  pass: { icon: 'check', color: 'teal', title: 'It came, and nothing that must not' },
  fail: { icon: 'close', color: 'red', title: 'It did not come, or something came that must not' },
  error: { icon: 'warning', color: 'grape', title: 'The journal does not tell' },
  warning: { icon: 'user', title: 'Nobody has said whether it is so' },
  skip: { icon: 'more', title: 'Optional, and not seen' },
  pending: { icon: 'clock', title: 'The run is open, and it may still come' },
}

export function VerdictBadge({ result }: { readonly result: Verdict }) {
  const { icon, color, title } = LOOKS[result]
  const look = color === undefined ? { variant: 'default' } : { variant: 'filled', color }
  return (
    <Badge {...look} title={title} flex="none" leftSection={<Icon name={icon} size={12} />}>
      {result}
    </Badge>
  )
}
