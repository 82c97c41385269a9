/** Tells at the top of a day that the clinic is closed, and the reason, such as a public holiday. */
import { Alert } from '@mantine/core'
import { dayText, startOfDay } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type HoursByDay, hoursKey } from './entries.ts'
import type { Column } from './use-plan.ts'

interface ClosedNoticeProps {
  readonly day: string
  readonly today: string
  readonly columns: readonly Column[]
  readonly hours: HoursByDay
}

export function ClosedNotice({ day, today, columns, hours }: ClosedNoticeProps) {
  const { timeZone } = useClinic()
  const reason = closedFor(columns, day, hours)
  if (reason === undefined) return null
  const when = day === today ? 'Today' : dayText(startOfDay(day, timeZone), timeZone)
  return (
    <Alert color="gray" icon={<Icon name="calendar" />} mb="sm" p="xs" role="status">
      {when} is closed: <bdi>{reason}</bdi>.
    </Alert>
  )
}

/** Reasons for which none of the practitioners works who have hours on that weekday. */
export function closedFor(columns: readonly Column[], day: string, hours: HoursByDay): string | undefined {
  const working = columns.flatMap(({ id }) => hours.get(hoursKey(id, day)) ?? []).filter(({ open }) => open.length > 0)
  const reasons = new Set(working.flatMap((ofDay) => ofDay.closedFor ?? []))
  return reasons.size > 0 && working.every((ofDay) => ofDay.closedFor !== undefined)
    ? [...reasons].join(', ')
    : undefined
}
