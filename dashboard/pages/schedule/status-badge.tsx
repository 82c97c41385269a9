/** Where a visit stands. */
import { Badge } from '@mantine/core'
import { type Visit, type VisitStatus, visitStatusText } from '../../fhir/visits.ts'

const COLORS: Partial<Record<VisitStatus, string>> = {
  pending: 'yellow',
  noshow: 'red',
  cancelled: 'red',
  fulfilled: 'gray',
  arrived: 'green',
  'checked-in': 'green',
}

export const StatusBadge = ({ status }: Pick<Visit, 'status'>) => (
  <Badge variant="default" flex="none" leftSection={<Dot color={(status && COLORS[status]) ?? 'cyan'} />}>
    {visitStatusText(status)}
  </Badge>
)

const Dot = ({ color }: { readonly color: string }) => (
  <svg width="8" height="8" aria-hidden="true">
    <circle cx="4" cy="4" r="4" fill={`var(--mantine-color-${color}-6)`} />
  </svg>
)
