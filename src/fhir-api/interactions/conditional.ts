/**
 * Conditional create, update, patch and delete: the one place that decides which resource the criteria choose.
 * https://hl7.org/fhir/R4/http.html#cond-update, #ccreate
 */
import type { Context } from '../../core/context.ts'
import { handlerOf } from '../../core/provider.ts'
import { criteriaPlan, guardedSearch } from '../../core/search-request.ts'
import { badRequest, preconditionFailed, unprocessable } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import { leavesResource, matches } from '../../search/matches.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { isCacheBuster, isTransportParameter } from '../../search/query/result-parameters.ts'
import type { ConditionalMatch, InteractionRequest } from '../message/interaction.ts'

export type ConditionalInteraction = 'create' | 'update' | 'patch' | 'delete'

/**
 * The match of a request's criteria; undefined where it has none. The match is guarded: the change is only written
 * while the criteria still choose the same resource, so that parallel conditional creates make one. The entry of a
 * transaction already has its match, since references to it had to be rewritten before.
 * @throws FhirError 412 when several resources match, 405 when the type cannot be searched, 400 for criteria that are
 *   empty or malformed
 */
export async function matchOf(
  ctx: Context,
  request: InteractionRequest,
  interaction: ConditionalInteraction,
): Promise<ConditionalMatch | undefined> {
  if (request.conditionalMatch !== undefined) return request.conditionalMatch
  const criteria = criteriaOf(request, interaction)
  if (criteria === undefined) return undefined
  const plan = await planOf(ctx, request.type, criteria, request)
  return { criteria, plan, resource: await guardedMatch(ctx, plan, criteria) }
}

/** The criteria of a create are in If-None-Exist, those of others in the query where the address has no id. */
function criteriaOf({ type, id, query, ifNoneExist }: InteractionRequest, interaction: ConditionalInteraction) {
  if (interaction === 'create') return ifNoneExist === undefined ? undefined : criteriaIn(ifNoneExist, type)
  if (id !== '') return undefined
  const criteria = new URLSearchParams([...query].filter(([name]) => isCriterion(name)))
  if (criteria.size > 0) return criteria.toString()
  throw badRequest(
    `For ${interaction} the address needs an id (${type}/<id>) or search criteria (${type}?identifier=…)`,
  )
}

/**
 * If-None-Exist has "search parameters (what would be in the URL following the '?')" (http.html#ccreate). Clients also
 * send the whole address, relative or absolute, with any host name of this server, and with the `_format` that they add
 * to each: `Patient?_format=json&identifier=x`. The value of a parameter may contain a question mark; an address has no
 * `=` before its question mark.
 * @throws FhirError 400 for a search of another type
 */
function criteriaIn(text: string, type: string): string {
  const [, address, criteria] = /^([^?=]*)\?(.*)$/s.exec(text) ?? []
  if (address === undefined || criteria === undefined) return text
  if (address === '' || address.split('/').at(-1) === type) return criteriaAmong(criteria)
  throw badRequest(
    `If-None-Exist searches '${address.slice(0, 200)}', but what is created is a ${type}; write the criteria alone, or ${type}?<criteria>`,
  )
}

/** The criteria in the query of an address. */
const criteriaAmong = (query: string): string =>
  query
    .split('&')
    .filter((pair) => isCriterion(pair.split('=', 1)[0] ?? ''))
    .join('&')

/** Parameters for the transport or for caches choose no resource. */
const isCriterion = (name: string): boolean => !isTransportParameter(name) && !isCacheBuster(name)

/**
 * The search plan of criteria; a type that cannot be searched has no conditional interactions.
 * @throws FhirError 405 then, 400 when the criteria are empty or malformed
 */
export async function planOf(
  ctx: Context,
  type: string,
  criteria: string,
  { base: baseUrl, links, services }: InteractionRequest,
): Promise<SearchPlan> {
  handlerOf(services.providers, type, 'search-type')
  return criteriaPlan(ctx, type, criteria, { baseUrl, links })
}

/** The one resource that matches, guarded as in matchOf. @throws FhirError 412 when several match */
export async function guardedMatch(ctx: Context, plan: SearchPlan, criteria: string): Promise<Versioned | undefined> {
  const { matches: found, next } = await guardedSearch(ctx, plan)
  if (found.length > 1 || next !== undefined) {
    const type = plan.types.join()
    throw preconditionFailed(`The criteria '${criteria}' match several ${type} resources; they must match one at most`)
  }
  return found[0]
}

/**
 * Checks that a resource which was written because its criteria matched nothing meets them itself. Otherwise each
 * repeat of the request would find nothing and create another one.
 * @throws FhirError 422 that quotes each unmet criterion as it was understood; then nothing is written
 */
export async function checkMeetsCriteria(
  ctx: Context,
  { type, id, resource }: Versioned,
  { criteria, plan }: ConditionalMatch,
  request: InteractionRequest,
): Promise<void> {
  const candidate = { type, id, lastUpdated: ctx.unit.writtenAt, entries: await ctx.unit.indexEntries(resource) }
  const isMet = ({ where }: SearchPlan) => where.every((one) => leavesResource(one) || matches(one, candidate))
  if (isMet(plan)) return
  const missed: string[] = []
  for (const [name, value] of new URLSearchParams(criteria)) {
    const one = await planOf(ctx, type, String(new URLSearchParams([[name, value]])), request)
    if (!isMet(one)) missed.push(`${name}='${value}'`)
  }
  throw unprocessable(
    `The ${type} in the body does not meet the criteria of this request, so each repeat would make another one. They were understood as ${missed.join(' and ')}; send the value as the resource has it, percent-encoded (%2B for a plus), with a backslash before a comma, $ or | that belongs to it`,
    { expression: type, reason: 'criteria-not-met' },
  )
}
