/** An interaction carried out, with what the profiles have to say of a write: Prefer: return=OperationOutcome tells it. */

import type { Context } from '../../core/context.ts'
import { declaredProfileIssues } from '../../core/profiles.ts'
import { toOutcome } from '../../fhir/outcome.ts'
import { done } from '../message/response-body.ts'
import type { InteractionHandler, InteractionRequest, InteractionResponse } from './interaction.ts'

export async function interact(
  handler: InteractionHandler,
  ctx: Context,
  request: InteractionRequest,
): Promise<InteractionResponse> {
  const response = await handler(ctx, request)
  const { kind, resource, outcome, status } = response
  if (kind !== 'write' || resource === undefined || outcome !== undefined || !request.wantsOutcome) return response
  const issues = await declaredProfileIssues(ctx, resource.resource)
  // Under the policy `warn` all that is wrong is stored with a warning.
  const warnings = issues.map((issue) =>
    issue.severity === 'error' ? { ...issue, severity: 'warning' as const } : issue,
  )
  return warnings.length === 0 ? response : { ...response, outcome: toOutcome([done(status), ...warnings]) }
}
