/** The status of an exchange, and how it came out, told by a word as well as by a colour. */
import { Badge } from '@mantine/core'
import type { Exchange } from '../api/exchanges.ts'

const COLOURS = { ok: 'green', refused: 'orange', failed: 'red', left: 'gray' } as const

export const StatusBadge = ({
  exchange: { status, outcome },
}: {
  readonly exchange: Pick<Exchange, 'status' | 'outcome'>
}) => (
  <Badge variant="light" color={COLOURS[outcome]} size="sm" title={outcome} className="number">
    {status === 0 ? 'no answer' : status}
    {outcome === 'refused' && status < 400 ? ' refused' : ''}
  </Badge>
)
