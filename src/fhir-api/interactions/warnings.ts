/**
 * Warnings for an accepted write, from the profiles of the resource and the rules of its type: shown for Prefer:
 * return=OperationOutcome.
 */
import type { Context } from '../../core/context.ts'
import { declaredProfileIssues } from '../../core/profiles.ts'
import { toOutcome } from '../../fhir/outcome.ts'
import { done } from '../message/http.ts'
import type { InteractionRequest, InteractionResponse } from '../message/interaction.ts'

export async function withWarnings(
  ctx: Context,
  { wantsOutcome }: InteractionRequest,
  response: InteractionResponse,
): Promise<InteractionResponse> {
  // Removed even if not shown: the next entry of a transaction has its own.
  const ofRules = ctx.warnings.splice(0)
  const { kind, resource, outcome, status } = response
  if (kind !== 'write' || resource === undefined || outcome !== undefined || !wantsOutcome) return response
  const issues = await declaredProfileIssues(ctx, resource.resource)
  // Under the policy `warn` a resource that breaks a profile is stored with a warning.
  const warnings = issues.map((issue) =>
    issue.severity === 'error' ? { ...issue, severity: 'warning' as const } : issue,
  )
  const told = [...ofRules, ...warnings]
  return told.length === 0 ? response : { ...response, outcome: toOutcome([done(status), ...told]) }
}
