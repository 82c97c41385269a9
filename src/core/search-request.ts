/**
 * The one way in which a search is assembled, for REST, conditional interactions and handlers alike: the query string,
 * the served search parameters and those of the clinic, full text, limits, and lookups: values that stand for others, which
 * the value sets, code systems and resources of the clinic tell.
 */
import { readSettings, type SearchHandling } from '../clinics/settings.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { requireWorkThread, spend } from '../isolation/budget.ts'
import type { SearchAnswer, UnitOfWork } from '../repository/repository.ts'
import type { Condition, SearchPlan } from '../search/plan.ts'
import { type CriteriaOptions, type ParsedSearch, parseCriteria, parseSearch } from '../search/query/parse.ts'
import { codeCondition } from '../search/token-case.ts'
import { any, type Links, type Lookup, type Questions, resolveLookups } from '../search/value.ts'
import { codesAbove, codesBelow, codesInValueSet } from '../terminology/search-codes.ts'
import type { Context } from './context.ts'
import { caseSensitiveSystems, clinicTerminology } from './terminology.ts'

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

/**
 * The conditions of criteria that the resource alone decides: criteria that look up value sets, code systems or other resources
 * are refused.
 * @throws FhirError 400 when they are malformed, 422 for a lookup
 */
export async function ownConditions(ctx: Context, type: string, criteria: string): Promise<readonly Condition[]> {
  const options = await criteriaOptions(ctx)
  const { where } = await resolveLookups((questions) => parseCriteria(type, criteria, { ...options, ...questions }), {
    condition: async ({ name }) => {
      throw unprocessable(`${name} is looked up in other resources; name each code or resource itself`)
    },
    caseSensitive: (systems) => caseSensitiveSystems(ctx, systems),
  })
  return where
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
  // The store finds those too that nobody may see.
  unit.guard(plan, [...answer.matches.map(({ id }) => id), ...(answer.hidden ?? [])])
  return answer
}

async function criteriaOptions(
  { clinic, now, unit, servedSearch, baseUrl: configured }: Context,
  baseUrl = configured,
): Promise<Omit<CriteriaOptions, 'lookUp' | 'isCaseSensitive'>> {
  const { parametersOf, fullText } = servedSearch
  const custom = await unit.customParameters()
  return {
    clinic,
    now,
    machineTime: unit.writtenAt,
    baseUrl,
    fullText,
    parametersOf: custom?.parametersOf(parametersOf) ?? parametersOf,
  }
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

/**
 * The result of `parse` for a query, with every lookup resolved in the clinic.
 * @throws FhirError 400 for an unknown value set, 422 for a lookup that finds too much
 */
const withLookups = <Parsed>(ctx: Context, parse: (questions: Questions) => Parsed): Promise<Parsed> =>
  resolveLookups(parse, {
    condition: (lookup) => namingParameter(lookup, () => resolved(lookup, ctx)),
    caseSensitive: (systems) => caseSensitiveSystems(ctx, systems),
  })

async function resolved(lookup: Lookup, ctx: Context): Promise<Condition> {
  switch (lookup.kind) {
    case 'value-set': {
      const { valueSet } = lookup
      return anyCode(ctx, lookup, codesInValueSet(await clinicTerminology(ctx, { valueSets: [valueSet] }), valueSet))
    }
    case 'code': {
      const { system, code, direction } = lookup
      const terminology = await clinicTerminology(ctx, { codeSystems: [system] })
      return anyCode(ctx, lookup, (direction === 'above' ? codesAbove : codesBelow)(terminology, { system, code }))
    }
    case 'resource':
      return anyReference(lookup, await hierarchy(lookup, ctx))
    case 'media-type':
      return anyCode(ctx, lookup, await mediaTypes(lookup, ctx))
  }
}

async function anyCode(
  ctx: Context,
  { param }: Lookup,
  codes: readonly { readonly system: string; readonly code: string }[],
): Promise<Condition> {
  spend(codes.length, 'the codes that it searches for')
  const different = new Map(codes.map(({ system, code }) => [`${system}|${code}`, { system, code }]))
  const sensitive = await caseSensitiveSystems(ctx, [...new Set(codes.map(({ system }) => system))])
  const conditions = [...different.values()].map((code) =>
    codeCondition(param, code, (system = '') => sensitive.has(system)),
  )
  return any(conditions)
}

type LookupOf<Kind extends Lookup['kind']> = Extract<Lookup, { kind: Kind }>

const anyReference = ({ param, type }: LookupOf<'resource'>, ids: Iterable<string>): Condition =>
  any([...ids].map((id) => ({ kind: 'reference', param, type, id })))

const MAX_IN_HIERARCHY = 1000
const MAX_LEVELS = 50

/** The ids of the resource and of all above or below it, level by level; a cycle ends where it began. */
async function hierarchy(lookup: LookupOf<'resource'>, { clinic, unit }: Context): Promise<ReadonlySet<string>> {
  const { type, id } = lookup
  const found = new Set([id])
  let level: readonly string[] = [id]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_LEVELS) throw tooCostly(`more than ${MAX_LEVELS} levels`)
    const plan: SearchPlan = { ...WHOLE, clinic, types: [type], where: [nextTo(lookup, level)] }
    const { matches, next } = await unit.search(plan)
    level = matches.map((match) => match.id).filter((one) => !found.has(one))
    for (const one of level) found.add(one)
    if (found.size > MAX_IN_HIERARCHY || next !== undefined) throw tooCostly(`more than ${MAX_IN_HIERARCHY} resources`)
  }
  return found
}

const WHOLE = { sort: [], count: MAX_IN_HIERARCHY, total: 'none', include: [], includeLimit: 0 } as const

function nextTo({ direction, type, parent: param }: LookupOf<'resource'>, ids: readonly string[]): Condition {
  return direction === 'below'
    ? any(ids.map((id) => ({ kind: 'reference', param, type, id })))
    : { kind: 'has', type, param, where: { kind: 'id', ids } }
}

const MAX_MEDIA_TYPES = 10_000

/** The matching media types in stored resources: `image/png` for `image`, `text/xml; charset=utf-8` for `text/xml`. */
async function mediaTypes({ param, types, mediaType }: LookupOf<'media-type'>, { unit }: Context) {
  const query = { kind: 'token', param, limit: MAX_MEDIA_TYPES } as const
  const values = await Promise.all(types.map((type) => unit.values({ ...query, type })))
  const asked = mediaType.toLowerCase()
  const isOf = ({ code }: { readonly code: string }) =>
    code.toLowerCase() === asked ||
    [';', ' ', ...(asked.includes('/') ? [] : ['/'])].some((end) => code.toLowerCase().startsWith(asked + end))
  return values.flat().filter(isOf)
}

const tooCostly = (what: string): FhirError =>
  new FhirError(422, { code: 'too-costly', diagnostics: `the hierarchy has ${what}, the most for a search` })

/** Turns the 404 of a resource that the search itself named into a 400 with the parameter's name. */
async function namingParameter<T>({ name }: Lookup, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    const issues = error.issues.map((issue) => ({ ...issue, diagnostics: `${name}: ${issue.diagnostics}` }))
    throw new FhirError(error.status === 404 ? 400 : error.status, issues)
  }
}
