/** Weeks as ISO 8601 has them, from Monday. */
import { addDays } from '../../fhir/time.ts'

/** The Monday of the week of a day. */
export function weekOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return addDays(day, -((weekday + 6) % 7))
}
