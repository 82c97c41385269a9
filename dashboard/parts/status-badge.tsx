/** The status and outcome of an exchange, shown by a word as well as by a colour. */
import { Badge } from '@mantine/core'
import type { Exchange } from '../api/exchanges.ts'

/**
 * Refused and failed share a look, as the status tells them apart; colours of less contrast are hard to read at this
 * size.
 */
const LOOKS = {
  ok: { color: 'cyan', variant: 'filled' },
  refused: { color: 'red', variant: 'filled' },
  failed: { color: 'red', variant: 'filled' },
  broken: { color: 'red', variant: 'filled' },
  left: { variant: 'default' },
} as const

export const StatusBadge = ({
  exchange: { status, outcome },
}: {
  readonly exchange: Pick<Exchange, 'status' | 'outcome'>
}) => (
  <Badge {...LOOKS[outcome]} size="sm" title={outcome} className="number">
    {status === 0 ? 'no response' : status}
    {outcome === 'refused' && status < 400 ? ' refused' : ''}
  </Badge>
)
