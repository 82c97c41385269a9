/** How dates are read that are typed in the clinic. */
import { clinicNow } from '../api/clock.ts'
import { dayOf } from '../fhir/time.ts'
import { type DateReading, dateOrderOf } from '../fhir/typed-date.ts'
import { useMaybeClinic } from './clinic-context.tsx'

export function useDateReading(): DateReading {
  const clinic = useMaybeClinic()
  const order = clinic === undefined ? 'day-first' : dateOrderOf(clinic.settings)
  return { order, today: dayOf(clinicNow(), clinic?.timeZone ?? 'UTC') }
}
