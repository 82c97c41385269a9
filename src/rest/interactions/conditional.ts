/** Conditional interactions: which resource do the criteria name? https://hl7.org/fhir/R4/http.html#ccreate */

import { type Context, handlerOf } from '../../core/context.ts'
import { lookedUp } from '../../core/search-lookups.ts'
import { badRequest, preconditionFailed } from '../../fhir/outcome.ts'
import { clinicParameters } from '../../providers/clinic-parameters.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { parseCriteria } from '../../search/query/parse.ts'
import type { InteractionRequest } from './interaction.ts'

/**
 * The one resource that matches `criteria`, or undefined. The answer is guarded: the change is only written while
 * the criteria still give it, so that parallel conditional creates make one resource.
 * @throws FhirError 412 when several match, 405 when the type cannot be searched, 400 when the criteria are empty or malformed.
 */
export async function resolveCriteria(
  ctx: Context,
  type: string,
  criteria: string,
  request: InteractionRequest,
): Promise<Versioned | undefined> {
  const plan = await criteriaPlan(ctx, type, criteria, request)
  const { matches, next } = await ctx.unit.search(plan)
  if (matches.length > 1 || next !== undefined) {
    throw preconditionFailed(`The criteria '${criteria}' match several ${type} resources; they must match one at most`)
  }
  ctx.unit.guard(
    plan,
    matches.map((match) => match.id),
  )
  return matches[0]
}

/**
 * Criteria are a search, so a type that cannot be searched has no conditional interactions.
 * @throws FhirError 405 then, 400 when the criteria are empty or malformed.
 */
export async function criteriaPlan(
  ctx: Context,
  type: string,
  criteria: string,
  { base, services }: InteractionRequest,
): Promise<SearchPlan> {
  handlerOf(services.providers, type, 'search-type')
  const { fullText } = services
  const parametersOf = await clinicParameters(ctx, services.parametersOf)
  const options = { clinic: ctx.clinic, baseUrl: base, now: ctx.now, parametersOf, fullText }
  return lookedUp(ctx, (ask) => parseCriteria(type, criteria, { ...options, ask }))
}

/** The criteria in the query of a conditional update, patch or delete. */
export function criteriaOf({ type, query }: InteractionRequest, interaction: string): string {
  const criteria = new URLSearchParams([...query].filter(([name]) => name !== '_format' && name !== '_pretty'))
  if (criteria.size > 0) return criteria.toString()
  throw badRequest(
    `For ${interaction} the address needs an id (${type}/<id>) or search criteria (${type}?identifier=…)`,
  )
}
