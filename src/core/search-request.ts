/**
 * The one way in which a search is assembled, for REST, conditional interactions and handlers alike: the query string,
 * the search parameters that are served and those of the clinic, full text, limits, and what has to be looked up first.
 */
import type { SearchAnswer } from '../repository/repository.ts'
import type { SearchPlan } from '../search/plan.ts'
import { type CriteriaOptions, type ParsedSearch, parseCriteria, parseSearch } from '../search/query/parse.ts'
import type { Context } from './context.ts'
import { withLookups } from './search-lookups.ts'

export interface SearchLimits {
  /** Resources on a page. */
  readonly defaultCount: number
  readonly maxCount: number
  /** Included resources of a page. */
  readonly includes: number
}

export interface SearchRequestOptions {
  readonly limits: SearchLimits
  /** Unknown parameters become warnings (`Prefer: handling=lenient`); absent: they are refused. */
  readonly lenient?: boolean
  /** The address of this server as the client sees it; absent: as it is configured. */
  readonly baseUrl?: string
}

/** @throws FhirError 400 that names the parameter and says what would be right, 422 for a lookup that finds too much */
export async function searchRequest(
  ctx: Context,
  types: readonly string[],
  query: URLSearchParams,
  { limits, lenient = false, baseUrl = ctx.baseUrl }: SearchRequestOptions,
): Promise<ParsedSearch> {
  const { defaultCount, maxCount, includes: includeLimit } = limits
  const options = { ...(await criteriaOptions(ctx, baseUrl)), types, lenient, defaultCount, maxCount, includeLimit }
  return withLookups(ctx, (lookUp) => parseSearch(query, { ...options, lookUp }))
}

/**
 * The plan for criteria such as `identifier=system|value`: two matches at most, which tells none, one and several apart.
 * @throws FhirError 400 when they are empty or malformed, 422 for a lookup that finds too much
 */
export async function criteriaPlan(
  ctx: Context,
  type: string,
  criteria: string,
  baseUrl = ctx.baseUrl,
): Promise<SearchPlan> {
  const options = await criteriaOptions(ctx, baseUrl)
  return withLookups(ctx, (lookUp) => parseCriteria(type, criteria, { ...options, lookUp }))
}

/** Searches, and guards the answer: the change is only written while the plan still finds the same resources. */
export async function guardedSearch({ unit }: Context, plan: SearchPlan): Promise<SearchAnswer> {
  const answer = await unit.search(plan)
  unit.guard(
    plan,
    answer.matches.map(({ id }) => id),
  )
  return answer
}

async function criteriaOptions(
  { clinic, now, unit, servedSearch }: Context,
  baseUrl: string,
): Promise<Omit<CriteriaOptions, 'lookUp'>> {
  const { parametersOf, fullText } = servedSearch
  const custom = await unit.customParameters()
  return { clinic, now, baseUrl, fullText, parametersOf: custom?.parametersOf(parametersOf) ?? parametersOf }
}
