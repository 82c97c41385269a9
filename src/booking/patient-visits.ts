/**
 * Other visits of the patients of an appointment: warnings about those at the same time, which are not refused, as the
 * patient may intend them; and the clinic's limit of open appointments, which also holds for concurrent bookings.
 */
import type { Appointment, AppointmentParticipant } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { type Issue, unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { reachingInto } from '../reservations/actors-at-work.ts'
import { afterChange, allOf, hasCode, isWithin, refersTo } from '../reservations/all-found.ts'
import { holdEndOf, OPEN_STATUSES } from '../scheduling/appointment-status.ts'
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

/** The patients among the participants, as `Patient/<id>`. */
const patientsAmong = (participants: readonly AppointmentParticipant[], baseUrl: string): ReadonlySet<string> =>
  new Set(
    participants.flatMap(({ actor }) => {
      const { type, id } = localReference(actor?.reference ?? '', baseUrl) ?? {}
      return type === 'Patient' ? [`Patient/${id}`] : []
    }),
  )

/** The patients who have not declined. */
const patientsOf = ({ participant }: Appointment, baseUrl: string): ReadonlySet<string> =>
  patientsAmong(participant.filter(takesPart), baseUrl)

/**
 * The change commits only if the number of open appointments counted here stays the same.
 * @throws FhirError 422 if it exceeds `limit`
 */
export async function checkOpenAppointments(
  ctx: Context,
  before: Appointment | undefined,
  after: Appointment,
  limit: number,
): Promise<void> {
  if (!isOpen(after, ctx.now)) return
  const counted =
    before !== undefined && isOpen(before, ctx.now) ? patientsAmong(before.participant, ctx.baseUrl) : new Set()
  for (const patient of patientsAmong(after.participant, ctx.baseUrl)) {
    if (counted.has(patient)) continue
    const others = (await openAppointments(ctx, patient)).filter(
      (one) => one.id !== after.id && isOpen(one, ctx.now),
    ).length
    if (others >= limit) {
      throw unprocessable(
        `${patient} has ${others} open appointments, and this clinic allows ${limit}; cancel one, or wait until one is over`,
        { expression: 'Appointment.participant', reason: 'too-many-open-appointments' },
      )
    }
  }
}

/** True if it is held or booked, and in the future; an expired hold does not count. */
const isOpen = (appointment: Appointment, now: number): boolean => {
  const { status, start } = appointment
  const isHeldNow = (holdEndOf(appointment) ?? Number.POSITIVE_INFINITY) > now
  return OPEN_STATUSES.includes(status) && start !== undefined && Date.parse(start) >= now && isHeldNow
}

const openAppointments = (ctx: Context, patient: string): Promise<readonly Appointment[]> =>
  afterChange(
    ctx,
    'Appointment',
    ctx.searchGuarded<Appointment>(
      'Appointment',
      `patient=${patient}&status=${OPEN_STATUSES.join()}&date=ge${new Date(ctx.now).toISOString()}`,
    ),
    (appointment) => isOpen(appointment, ctx.now) && patientsAmong(appointment.participant, ctx.baseUrl).has(patient),
  )
