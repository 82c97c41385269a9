/** Where a visit stands. */
import { Badge } from '@mantine/core'
import { STATUS_TEXT, type Visit } from '../../fhir/visits.ts'

const COLORS: Partial<Record<Visit['status'], string>> = {
  pending: 'yellow',
  noshow: 'red',
  cancelled: 'red',
  fulfilled: 'gray',
  arrived: 'green',
  'checked-in': 'green',
}

interface StatusBadgeProps {
  readonly status: Visit['status']
  readonly text?: string
}

export const StatusBadge = ({ status, text = STATUS_TEXT[status] }: StatusBadgeProps) => (
  <Badge variant="default" radius="sm" tt="none" flex="none" leftSection={<Dot color={COLORS[status] ?? 'cyan'} />}>
    {text}
  </Badge>
)

const Dot = ({ color }: { readonly color: string }) => (
  <svg width="8" height="8" aria-hidden="true">
    <circle cx="4" cy="4" r="4" fill={`var(--mantine-color-${color}-6)`} />
  </svg>
)
