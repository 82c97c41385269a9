/** Finds the Appointment of a request: a stored one, or one offered by $find. */
import type { Appointment } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { FhirError } from '../fhir/outcome.ts'
import type { Versioned } from '../repository/repository.ts'
import { readProposal } from './proposal.ts'

/** A stored Appointment with its version, or an offered one without an id. */
export type FoundAppointment =
  | { readonly kind: 'stored'; readonly stored: Versioned<Appointment> }
  | { readonly kind: 'offered'; readonly proposal: Appointment }

/**
 * @param expression name of the parameter, for the message
 * @throws FhirError 404, or 410 if it was deleted
 */
export async function findAppointment(ctx: Context, id: string, expression: string): Promise<FoundAppointment> {
  const stored = await ctx.unit.read<Appointment>('Appointment', id)
  if (stored?.deleted) {
    const diagnostics = `Appointment/${id} was deleted (version ${stored.version}); name one that there is`
    throw new FhirError(410, { code: 'deleted', diagnostics, expression, reason: 'appointment-not-found' })
  }
  if (stored !== undefined) return { kind: 'stored', stored }
  const proposal = await readProposal(ctx, id)
  if (proposal !== undefined) return { kind: 'offered', proposal }
  throw new FhirError(404, {
    code: 'not-found',
    diagnostics: `There is no Appointment/${id} in this clinic, and $find does not offer it (any more); call $find again, or name one that is stored`,
    expression,
    reason: 'appointment-not-found',
  })
}
