/** Cancels a visit and frees its slots in the same change. */
import type { Appointment, CodeableConcept } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import type { Versioned } from '../repository/repository.ts'

export interface Cancellation {
  /** Appointment.cancelationReason. */
  readonly reason?: CodeableConcept | undefined
  /** Appointment.comment. */
  readonly comment?: string | undefined
}

/**
 * An appointment already cancelled stays as it is, with its reason.
 * @param id Appointment.id
 * @throws FhirError 404, 410, 422
 */
export async function cancel(
  ctx: Context,
  id: string,
  { reason, comment }: Cancellation = {},
): Promise<Versioned<Appointment>> {
  const found = await ctx.read<Appointment>('Appointment', id)
  if (found.resource.status === 'cancelled') return found
  return await ctx.update<Appointment>({
    ...found.resource,
    status: 'cancelled',
    ...(reason === undefined ? {} : { cancelationReason: reason }),
    ...(comment === undefined ? {} : { comment }),
  })
}
