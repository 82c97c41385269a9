/** Confirms a visit: one that is proposed or pending becomes booked, and the patient comes. */
import { isDeepStrictEqual } from 'node:util'
import type { Appointment } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import type { Versioned } from '../repository/repository.ts'
import { checkMayBecome } from '../scheduling/hold.ts'
import { withAnswers, withConfirmation } from '../scheduling/participants.ts'

/**
 * One that is confirmed already stays as it is.
 * @param id Appointment.id
 * @param patient who confirms, as `Patient/<id>`; absent: the only patient of the appointment
 * @throws FhirError 404, 409, 410, 422
 */
export async function confirm(ctx: Context, id: string, patient?: string): Promise<Versioned<Appointment>> {
  const found = await ctx.read<Appointment>('Appointment', id)
  const { resource } = found
  checkMayBecome(resource, 'booked')
  const confirmed = withConfirmation(resource, patient, ctx.baseUrl)
  const participant = resource.status === 'booked' || patient !== undefined ? confirmed : withAnswers(confirmed)
  const next: Appointment = { ...resource, status: 'booked', participant }
  return isDeepStrictEqual(next, resource) ? found : await ctx.update<Appointment>(next)
}
