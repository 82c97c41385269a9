/** search-type and search-system, GET and POST, and search in a compartment: https://hl7.org/fhir/R4/http.html#search. */
import type { Context } from '../../core/context.ts'
import { handlerOf } from '../../core/provider.ts'
import { checkPageSize, isLenient, searchRequest } from '../../core/search-request.ts'
import { type CompartmentMembers, compartmentMembers, compartmentTypes } from '../../fhir/compartments.ts'
import { isResourceType, resourceTypes } from '../../fhir/definitions.ts'
import { type FhirError, type Issue, notFound, toOutcome } from '../../fhir/outcome.ts'
import type { SearchAnswer, Versioned } from '../../repository/repository.ts'
import { isInner } from '../../search/inner.ts'
import type { Condition, SearchPlan } from '../../search/plan.ts'
import { inCompartment } from '../../search/query/compartment.ts'
import type { ParsedSearch } from '../../search/query/parse.ts'
import type { Subset } from '../../search/query/subset.ts'
import { subsetText } from '../../search/query/subset-text.ts'
import { bundleText, outcomeEntry, pageLinks, searchEntry } from '../message/bundle-writer.ts'
import type { InteractionHandler, InteractionRequest, InteractionResponse, Services } from '../message/interaction.ts'

export const searchType: InteractionHandler = async (ctx, request) => {
  const handler = handlerOf(request.services.providers, request.type, 'search-type')
  const search = await requestedSearch(ctx, [request.type], request)
  const make = async () => searchset(request, search, await handler(ctx, search.plan), request.type)
  const types = await typesOf(ctx, search.plan)
  if (types === undefined) return await make()
  // Clients that show a list, or poll, repeat the same search again and again.
  return await ctx.unit.unchanged(() => JSON.stringify([request.base, search.plan, search.used, search.warnings]), {
    types,
    make,
    charactersOf: ({ text, about }) => text.length + about.reduce((sum, one) => sum + one.text.length, 0),
  })
}

/**
 * The types of the resources that decide the result of a search. Undefined: it depends on something else too, such as
 * the time, a value set, the progress of an index or the audit trail.
 */
async function typesOf(
  ctx: Context,
  { types, where, include, asked }: SearchPlan,
): Promise<readonly string[] | undefined> {
  if (asked !== undefined || types.includes('AuditEvent')) return undefined
  if ((await ctx.unit.customParameters()) !== undefined) return undefined
  // A contained resource changes with its container, which may be of any type.
  const isOfThese = include.length === 0 && !types.some(isInner) && where.every(isOfItsOwnType)
  return isOfThese ? types : resourceTypes
}

function isOfItsOwnType(condition: Condition): boolean {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return condition.of.every(isOfItsOwnType)
    case 'not':
      return isOfItsOwnType(condition.of)
    default:
      return condition.kind !== 'chain' && condition.kind !== 'has'
  }
}

/** Across types: `GET /?_type=Patient,Practitioner&_lastUpdated=gt2026-01-01`. */
export const searchSystem: InteractionHandler = async (ctx, request) => {
  const types = resourceTypes.filter((type) => request.services.providers.get(type)?.interactions['search-type'])
  const search = await requestedSearch(ctx, types, request)
  return searchset(request, search, await ctx.unit.search(search.plan), '')
}

/**
 * The query of the request as a search of `types`, combined with `condition`.
 * @throws FhirError 400 or 422; OffloadRequired for a large page
 */
async function requestedSearch(
  ctx: Context,
  types: readonly string[],
  { query, handling, base: baseUrl, links, services: { limits } }: InteractionRequest,
  condition?: Condition,
): Promise<ParsedSearch> {
  const lenient = await isLenient(ctx, handling)
  const options = { limits, lenient, baseUrl, links, ...(condition === undefined ? {} : { condition }) }
  const search = await searchRequest(ctx, types, query, options)
  checkPageSize(search.plan.count)
  return search
}

type FoundResponse = InteractionResponse & Required<Pick<InteractionResponse, 'text' | 'about'>>

/** @param path of the search, below the base address: `Patient`, `Patient/123/Observation`, '' for everything */
function searchset(
  request: InteractionRequest,
  search: ParsedSearch,
  answer: SearchAnswer,
  path: string,
): FoundResponse {
  const { base } = request
  // "The list of elements does not apply to included resources" (search.html, 3.1.1.5.9).
  const ofIncluded = { summary: search.summary, elements: undefined }
  const isWhole = search.summary === undefined && search.elements === undefined
  const textOf = ({ text, type }: Versioned, subset: Subset) => (isWhole ? text : subsetText(text, type, subset))
  const entries = [
    ...answer.matches.map((match) => searchEntry(base, match, textOf(match, search), 'match')),
    ...answer.included.map((include) => searchEntry(base, include, textOf(include, ofIncluded), 'include')),
  ]
  const warnings = [...search.warnings, ...(answer.truncated ? [truncation(request)] : [])]
  if (warnings.length > 0) entries.push(outcomeEntry(toOutcome(warnings)))
  const text = bundleText(
    { type: 'searchset', total: answer.total, links: pageLinks(`${base}/${path}`, search.used, answer.next) },
    search.summary === 'count' ? [] : entries,
  )
  // A contained resource is about the patient of its container.
  const about = [...answer.matches.map((match) => match.container ?? match), ...answer.included]
  return { status: 200, text, about, kind: 'read' }
}

const truncation = ({ services: { limits } }: InteractionRequest): Issue => ({
  severity: 'warning',
  code: 'incomplete',
  diagnostics: `More than ${limits.includes} resources are included; the rest was left out. Ask for smaller pages with _count.`,
})

/** Stands for every type in a compartment. */
export const ALL_MEMBERS = '*'

/** `GET /Patient/123/Observation?code=…`, and `GET /Patient/123/*` for every type in it: https://hl7.org/fhir/R4/http.html#vsearch. */
export const searchCompartment: InteractionHandler = async (ctx, request) => {
  const { type, id, services } = request
  const member = request.member || ALL_MEMBERS
  const members = membersFor(type, member, services)
  const handler = member === ALL_MEMBERS ? undefined : handlerOf(services.providers, member, 'search-type')
  const search = await requestedSearch(ctx, [...members.keys()], request, inCompartment({ type, id }, members))
  const { asked } = search.plan
  const plan = {
    ...search.plan,
    ...(asked === undefined ? {} : { asked: `${type}/${id} ${asked}` }),
  }
  const answer = await (handler === undefined ? ctx.unit.search(plan) : handler(ctx, plan))
  return searchset(request, { ...search, plan }, answer, `${type}/${id}/${member}`)
}

/** The types that are searched. @throws FhirError 404 for a type without a compartment, or one that is not in it */
function membersFor(type: string, member: string, { providers }: Services): CompartmentMembers {
  const membership = compartmentMembers(type)
  if (membership === undefined) throw noCompartment(type)
  if (member === ALL_MEMBERS) {
    return new Map([...membership].filter(([one]) => providers.get(one)?.interactions['search-type'] !== undefined))
  }
  const params = membership.get(member)
  if (params === undefined) throw noMember(type, member, membership)
  return new Map([[member, params]])
}

const noCompartment = (type: string): FhirError =>
  notFound(`${type} has no compartment to search in; these have: ${compartmentTypes.join(', ')}`)

function noMember(type: string, member: string, membership: CompartmentMembers): FhirError {
  const problem = isResourceType(member)
    ? `${member} is not in the compartment of a ${type}`
    : `There is no resource type '${member}'`
  return notFound(`${problem}; search for *, or one of ${[...membership.keys()].join(', ')}`)
}
