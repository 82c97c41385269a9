/** Appointments that a caller may hear of, move and cancel: their own, by keys of the call. */
import type { Appointment } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { actorsOf } from '../../scheduling/waitlist.ts'
import { keysFor, unknownKey, valueOfKey } from '../session/call-keys.ts'

/** The key of one appointment. */
export async function keyForAppointment(ctx: Context, call: CallSession, id: string): Promise<string> {
  const [key = ''] = await keysFor(ctx, call, 'appointment', [id])
  return key
}

/** @param patient Patient.id @throws FhirError 404 `unknown-key`, also for another patient's appointment */
export async function ownAppointment(
  ctx: Context,
  call: CallSession,
  patient: string,
  key: unknown,
): Promise<Versioned<Appointment>> {
  const id = await valueOfKey(ctx, call, 'appointment', String(key))
  const found = id === undefined ? undefined : await ctx.find<Appointment>('Appointment', id)
  if (found === undefined || !isOf(found.resource, patient, ctx)) throw unknownKey('appointment', 'appointmentKey')
  return found
}

export const isOf = (appointment: Appointment, patient: string, { baseUrl }: Context): boolean =>
  actorsOf(appointment, baseUrl).includes(`Patient/${patient}`)
