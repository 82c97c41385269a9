/**
 * The one way in which a search is assembled, for REST, conditional interactions and handlers alike: the query string,
 * the served search parameters and those of the clinic, full text, limits, and lookups.
 */
import { readSettings, type SearchHandling } from '../clinics/settings.ts'
import { requireWorkThread, spend } from '../isolation/budget.ts'
import type { SearchAnswer, UnitOfWork } from '../repository/repository.ts'
import type { Condition, SearchPlan } from '../search/plan.ts'
import { type CriteriaOptions, type ParsedSearch, parseCriteria, parseSearch } from '../search/query/parse.ts'
import type { Links } from '../search/value.ts'
import type { Context } from './context.ts'
import { withLookups } from './search-lookups.ts'

export interface SearchLimits {
  /** Resources on a page. */
  readonly defaultCount: number
  readonly maxCount: number
  /** Included resources of a page. */
  readonly includes: number
}

/** The source of a query. */
interface CriteriaSource {
  /** The address of this server as the client sees it; absent: as configured. */
  readonly baseUrl?: string
  readonly links?: Links | undefined
}

export interface SearchRequestOptions extends CriteriaSource {
  readonly limits: SearchLimits
  /** Unknown parameters become warnings; absent: they are refused. */
  readonly lenient?: boolean
  /** A further condition besides the query. */
  readonly condition?: Condition
}

/** Steps to read a query, besides its length, and to repeat a search when the change is written. */
const QUERY = 20
const GUARDED = 50
/** Characters of a query that are read in one step. */
const READ_IN_A_STEP = 10

const payForQuery = (length: number): void => spend(QUERY + length / READ_IN_A_STEP, 'its searches')

/** @throws FhirError 400 that names the parameter and says what would be valid, 422 for a lookup that finds too much */
export async function searchRequest(
  ctx: Context,
  types: readonly string[],
  query: URLSearchParams,
  { limits, lenient = false, baseUrl, links, ...condition }: SearchRequestOptions,
): Promise<ParsedSearch> {
  payForQuery(String(query).length)
  const { defaultCount, maxCount, includes: includeLimit } = limits
  const search = { types, lenient, defaultCount, maxCount, includeLimit, ...condition }
  const options = { ...(await criteriaOptions(ctx, baseUrl)), links, ...search }
  return withLookups(ctx, (questions) => parseSearch(query, { ...options, ...questions }))
}

/**
 * The plan for criteria such as `identifier=system|value`: at most two matches, enough to distinguish none, one and
 * several.
 * @throws FhirError 400 when they are empty or malformed, 422 for a lookup that finds too much
 */
export async function criteriaPlan(
  ctx: Context,
  type: string,
  criteria: string,
  { baseUrl, links }: CriteriaSource = {},
): Promise<SearchPlan> {
  payForQuery(criteria.length)
  const options = { ...(await criteriaOptions(ctx, baseUrl)), links }
  return withLookups(ctx, (questions) => parseCriteria(type, criteria, { ...options, ...questions }))
}

/** By unit of work and plan, as JSON. */
const guarded = new WeakMap<UnitOfWork, Map<string, Promise<SearchAnswer>>>()

/**
 * Searches, and guards the matches: the change is only written while the plan still finds the same resources. Equal
 * searches of one change are made once.
 */
export function guardedSearch({ unit }: Context, plan: SearchPlan): Promise<SearchAnswer> {
  const known = guarded.get(unit) ?? new Map<string, Promise<SearchAnswer>>()
  guarded.set(unit, known)
  const key = JSON.stringify(plan)
  const answer = known.get(key) ?? searchAndGuard(unit, plan)
  known.set(key, answer)
  return answer
}

async function searchAndGuard(unit: UnitOfWork, plan: SearchPlan): Promise<SearchAnswer> {
  const answer = await unit.search(plan)
  spend(GUARDED, 'its conditions')
  unit.guard(
    plan,
    answer.matches.map(({ id }) => id),
  )
  return answer
}

async function criteriaOptions(
  { clinic, now, unit, servedSearch, baseUrl: configured }: Context,
  baseUrl = configured,
): Promise<Omit<CriteriaOptions, 'lookUp' | 'isCaseSensitive'>> {
  const { parametersOf, fullText } = servedSearch
  const custom = await unit.customParameters()
  return { clinic, now, baseUrl, fullText, parametersOf: custom?.parametersOf(parametersOf) ?? parametersOf }
}

/** Most resources of a page that is read on the event loop. */
const MAX_ON_EVENT_LOOP = 200

/**
 * To be called before a page of at most `count` resources is read: to find, join and send a large one would hold the event
 * loop for too long.
 * @throws OffloadRequired
 */
export function checkPageSize(count: number): void {
  if (count > MAX_ON_EVENT_LOOP) requireWorkThread('the size of its page')
}

/**
 * Whether a search ignores unknown parameters (docs/adr/017-unknown-parameters.md): the client's preference
 * (`Prefer: handling=…`), else the setting of its clinic, else that of the server.
 */
export const isLenient = async (ctx: Context, preferred: SearchHandling | undefined): Promise<boolean> =>
  (preferred ?? (await readSettings(ctx.unit, ctx.clinic)).policies.searchHandling ?? ctx.searchHandling) === 'lenient'
