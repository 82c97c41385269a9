/** Warnings about other visits of a patient at the same time. These are not refused, as the patient may intend them. */
import type { Appointment } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import type { Issue } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { afterChange, allOf, hasCode, isWithin, refersTo } from '../reservations/all-found.ts'
import { reachingInto } from '../reservations/visits-beside.ts'
import { overlap } from '../scheduling/planned-slots.ts'
import { RESERVING_STATUSES, takesPart, visitTime } from '../scheduling/reserving.ts'
import { isSamePeriod } from '../scheduling/slot-times.ts'
import type { Span } from '../scheduling/zone-clock.ts'

/** Most patients of a visit whose other visits are looked up. */
const MOST_PATIENTS = 10

/** A warning for each patient with another visit at the time of a new, booked or moved one. */
export async function patientFindings(
  ctx: Context,
  before: Appointment | undefined,
  after: Appointment,
): Promise<readonly Issue[]> {
  const time = visitTime(after)
  const isKept = before !== undefined && visitTime(before) !== undefined && isSamePeriod(before, after)
  const patients = patientsOf(after, ctx.baseUrl)
  if (time === undefined || isKept || patients.size === 0 || patients.size > MOST_PATIENTS) return []
  const busy = new Set(
    (await visitsOf(ctx, patients, time))
      .filter(({ id }) => id !== after.id)
      .flatMap((visit) => [...patientsOf(visit, ctx.baseUrl)]),
  )
  return [...patients.intersection(busy)].map((patient) => ({
    severity: 'warning',
    code: 'business-rule',
    diagnostics: `${patient} has another visit that overlaps ${after.start} to ${after.end}; if that is not meant, cancel one or move it`,
    expression: 'Appointment.start',
    reason: 'patient-has-other-visit',
  }))
}

async function visitsOf(ctx: Context, patients: ReadonlySet<string>, time: Span): Promise<readonly Appointment[]> {
  const where = [
    refersTo('patient', patients),
    hasCode('status', RESERVING_STATUSES),
    isWithin('date', reachingInto(time)),
  ]
  const stored = allOf<Appointment>(ctx, 'Appointment', where, 'the other visits of its patients')
  const isThen = (visit: Appointment): boolean => {
    const other = visitTime(visit)
    return other !== undefined && overlap(other, time)
  }
  return (await afterChange(ctx, 'Appointment', stored, isThen)).filter(isThen)
}

/** As `Patient/<id>`. */
const patientsOf = ({ participant }: Appointment, baseUrl: string): ReadonlySet<string> =>
  new Set(
    participant.filter(takesPart).flatMap(({ actor }) => {
      const { type, id } = localReference(actor?.reference ?? '', baseUrl) ?? {}
      return type === 'Patient' ? [`Patient/${id}`] : []
    }),
  )
