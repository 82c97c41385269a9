/** The abandonment of a tool call: the one with which the call was registered, or the Task in the path. */
import type { Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { type Abandonment, findAbandonment } from '../record/abandonment.ts'
import { currentRecord, patientOfCall } from '../session/patient-of-call.ts'

type WithAbandonment = Pick<OperationRequest, 'id' | 'call'>

/** @throws FhirError 422 `no-abandonment`; 404 or 410 if there is no Task with that id */
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

/**
 * As abandonmentOf, if it is still open. @throws FhirError 422 `no-abandonment`; 404 or 410 if there is no Task with
 * that id, 422 `abandonment-closed`
 */
export async function openAbandonmentOf(ctx: Context, request: WithAbandonment): Promise<Abandonment> {
  const abandonment = await abandonmentOf(ctx, request)
  if (abandonment.isOpen) return abandonment
  throw refusal(
    'abandonment-closed',
    'The abandonment is closed: its Task is completed or cancelled, so nothing is added to it',
    'That has been taken care of already.',
  )
}

/** False for a caller who has turned out to be someone else. */
export async function isItsPerson(ctx: Context, { call }: WithAbandonment, { patient }: Abandonment): Promise<boolean> {
  const own = call === undefined ? undefined : await patientOfCall(ctx, call)
  return own === undefined || own.id === (await currentRecord(ctx, patient))?.id
}

/**
 * A caller who has turned out to be someone else may neither hear of it nor add to it.
 * @throws FhirError 422 `other-person`
 */
export async function requireItsPerson(
  ctx: Context,
  request: WithAbandonment,
  abandonment: Abandonment,
): Promise<void> {
  if (await isItsPerson(ctx, request, abandonment)) return
  throw refusal(
    'other-person',
    'The caller is not the person who left it unfinished; what they say is saved by the tools of /patient-journey',
    OTHER_PERSON,
  )
}

/** Sentence for the agent. */
export const OTHER_PERSON = 'Thank you. What was left unfinished is of another person, so I cannot go on with it.'

/** @param text sentence for the agent */
export const refusal = (reason: string, diagnostics: string, text: string): FhirError =>
  new FhirError(422, { code: 'business-rule', reason, diagnostics, text })
