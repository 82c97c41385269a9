/** Appointments that a caller may hear of, move and cancel: their own, by keys of the call. */
import type { Appointment } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { badRequest } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import { actorsOf } from '../../scheduling/waitlist.ts'
import { keptText } from '../../spoken/spoken.ts'
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

/**
 * Requires a live call, as the tools for visits by phone use its keys, which staff do not have.
 * @throws FhirError 400 if the request is not a tool call
 */
export function requireCall(call: CallSession | undefined): CallSession {
  if (call !== undefined) return call
  throw badRequest(
    'The operation is for live calls, whose keys it takes; over FHIR search Appointments, and write them by POST and PUT',
    { reason: 'live-calls-only' },
  )
}

/** Most characters of a reason. */
const MAX_LENGTH = 1000

/** The caller's reason for coming, or for not coming, in their own words; undefined if nothing was said. */
export const keptReason = (said: unknown): string | undefined => keptText(said, MAX_LENGTH)
