/** Holds the time of an appointment until it is booked: IHE ITI-116. */
import type { Appointment } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../fhir/new-id.ts'
import { FhirError } from '../fhir/outcome.ts'
import type { Versioned } from '../repository/repository.ts'
import { checkMayBecome } from '../scheduling/hold.ts'
import { findAppointment } from './find-appointment.ts'
import { stageHold } from './holds.ts'

/**
 * Stages the appointment as pending until the hold expires. One offered by $find is stored under an id of its own.
 * @param id Appointment.id of one offered by $find, or of a stored one that is proposed
 * @param expression name of the parameter, for the message
 * @throws FhirError 404, 409, 410 or 422
 */
export async function hold(
  ctx: Context,
  id: string,
  expression = 'appointment-reference',
): Promise<Versioned<Appointment>> {
  const found = await findAppointment(ctx, id, expression)
  if (found.kind === 'offered') {
    const heldId = newId()
    await stageHold(ctx, heldId)
    return await ctx.create<Appointment>({ ...found.proposal, id: heldId, status: 'pending' })
  }
  const { resource } = found.stored
  if (resource.status === 'pending') throw await alreadyHeld(ctx, id, expression)
  checkMayBecome(resource, 'pending')
  await stageHold(ctx, id)
  return await ctx.update<Appointment>({ ...resource, status: 'pending' })
}

async function alreadyHeld({ unit, clinic }: Context, id: string, expression: string): Promise<FhirError> {
  const { policies } = await readSettings(unit, clinic)
  return new FhirError(policies.slotTakenStatus, {
    code: 'conflict',
    diagnostics: `Appointment/${id} is held already, and a hold is not prolonged; book or cancel it`,
    expression,
    reason: 'slot-unavailable',
  })
}
