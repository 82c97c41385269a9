/** Today, as searches of it. */
import { clinicNow } from '../../api/clock.ts'
import type { Parameters } from '../../api/queries.ts'
import { addDays, dayOf, startOfDay } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'

/** Days that charts go back. */
export const CHART_DAYS = 14
/** Milliseconds between two polls. */
export const EVERY = 20_000
/** Rows of a list. */
export const SHOWN = 5
/** Pixels of a list: its rows, and the line below them. */
export const LIST_HEIGHT = SHOWN * 44 + 30

export function useToday(): { readonly day: string; readonly zone: string } {
  const { timeZone: zone } = useClinic()
  return { day: dayOf(clinicNow(), zone), zone }
}

/** Search parameters for a day of the clinic. */
export const onDay = (day: string, zone: string): Parameters => [
  ['date', `ge${startOfDay(day, zone)}`],
  ['date', `lt${startOfDay(addDays(day, 1), zone)}`],
]

/** The last CHART_DAYS days, including today. */
export const lastDays = (day: string): readonly string[] =>
  Array.from({ length: CHART_DAYS }, (_, index) => addDays(day, index + 1 - CHART_DAYS))

/** Live calls, which are virtual encounters. */
export const CALLS: Parameters = [['class', 'VR']]
/** Appointments that take place, or did. */
export const TAKING_PLACE: Parameters = [['status', 'pending,booked,arrived,checked-in,fulfilled']]
