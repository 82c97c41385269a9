/** The abandonment that a tool works on: the one the call was registered with, or the Task in the path. */
import type { Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { type Abandonment, findAbandonment } from '../record/abandonment.ts'
import { currentRecord, patientOfCall } from '../session/patient-of-call.ts'

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

/**
 * A caller who has turned out to be somebody else neither hears nor adds anything of it.
 * @throws FhirError 422 `other-person`
 */
export async function requireItsPerson(
  ctx: Context,
  { call }: WithAbandonment,
  { patient }: Abandonment,
): Promise<void> {
  const own = call === undefined ? undefined : await patientOfCall(ctx, call)
  if (own === undefined || own.id === (await currentRecord(ctx, patient))?.id) return
  throw refusal(
    'other-person',
    'The caller is not the person who left it unfinished; what they say is saved by the tools of /patient-journey',
    OTHER_PERSON,
  )
}

/** For the agent to say. */
export const OTHER_PERSON = 'Thank you. What was left unfinished is of another person, so I cannot go on with it.'

/** @param text what the agent can say */
export const refusal = (reason: string, diagnostics: string, text: string): FhirError =>
  new FhirError(422, { code: 'business-rule', reason, diagnostics, text })
