/** The clinic's limit of open appointments per patient, which also holds for concurrent bookings. */
import type { Appointment } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { OPEN_STATUSES } from '../scheduling/appointment-status.ts'
import { holdEndOf } from '../scheduling/hold.ts'
import { appointmentsAfter } from './holders.ts'

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
  const counted = before !== undefined && isOpen(before, ctx.now) ? patientsOf(ctx, before) : new Set()
  for (const patient of patientsOf(ctx, after)) {
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
  appointmentsAfter(
    ctx,
    ctx.searchGuarded<Appointment>(
      'Appointment',
      `patient=${patient}&status=${OPEN_STATUSES.join()}&date=ge${new Date(ctx.now).toISOString()}`,
    ),
    (appointment) => isOpen(appointment, ctx.now) && patientsOf(ctx, appointment).has(patient),
  )

/** As `Patient/<id>`. */
const patientsOf = ({ baseUrl }: Context, { participant }: Appointment): ReadonlySet<string> =>
  new Set(
    participant.flatMap(({ actor: { reference = '' } = {} }) => {
      const { type, id } = localReference(reference, baseUrl) ?? {}
      return type === 'Patient' ? [`Patient/${id}`] : []
    }),
  )
