/** The abandonment that a tool works on: the one the call was registered with, or the Task in the path. */
import type { Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { type Abandonment, findAbandonment } from '../record/abandonment.ts'

type WithAbandonment = Pick<OperationRequest, 'id' | 'call'>

/** @throws FhirError 422 `no-abandonment`; 404 or 410 where there is no Task of that id */
export async function abandonmentOf(ctx: Context, { id, call }: WithAbandonment): Promise<Abandonment> {
  const named = call === undefined ? id : call.abandonment
  const found = named === undefined ? undefined : await findAbandonment(ctx.unit, named)
  if (found !== undefined) return found
  if (call === undefined && id !== undefined) await ctx.read<Task>('Task', id)
  throw refusal(
    'no-abandonment',
    'The call is about no abandonment: register it with POST /calls and {"abandonment": "…"}, or name its Task in the path',
    'Sorry, I have nothing here that was left unfinished.',
  )
}

/** The same, where it is still open. @throws FhirError 422 `no-abandonment`; 404 or 410 where there is no Task of that id, 422 `abandonment-closed` */
export async function openAbandonmentOf(ctx: Context, request: WithAbandonment): Promise<Abandonment> {
  const abandonment = await abandonmentOf(ctx, request)
  if (abandonment.isOpen) return abandonment
  throw refusal(
    'abandonment-closed',
    'The abandonment is closed: its Task is completed or cancelled, so nothing is added to it',
    'That has been taken care of already.',
  )
}

/** @param text what the agent can say */
export const refusal = (reason: string, diagnostics: string, text: string): FhirError =>
  new FhirError(422, { code: 'business-rule', reason, diagnostics, text })
