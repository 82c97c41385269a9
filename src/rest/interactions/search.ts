/** search-type and search-system, GET and POST: https://hl7.org/fhir/R4/http.html#search. */

import { type Context, handlerOf } from '../../core/context.ts'
import { lookedUp } from '../../core/search-lookups.ts'
import { resourceTypes } from '../../fhir/definitions.ts'
import { type Issue, toOutcome } from '../../fhir/outcome.ts'
import { clinicParameters } from '../../providers/clinic-parameters.ts'
import type { SearchAnswer } from '../../repository/repository.ts'
import { type ParsedSearch, parseSearch, type SearchOptions } from '../../search/query/parse.ts'
import { bundleText, outcomeEntry, pageLinks, searchEntry } from '../message/bundle-writer.ts'
import { subsetText } from '../message/summary.ts'
import type { InteractionHandler, InteractionRequest, InteractionResponse } from './interaction.ts'

export const searchType: InteractionHandler = async (ctx, request) => {
  const handler = handlerOf(request.services.providers, request.type, 'search-type')
  const search = await parsed(ctx, [request.type], request)
  return searchset(request, search, await handler(ctx, search.plan), request.type)
}

/** Across types: `GET /?_type=Patient,Practitioner&_lastUpdated=gt2026-01-01`. */
export const searchSystem: InteractionHandler = async (ctx, request) => {
  const types = resourceTypes.filter((type) => request.services.providers.get(type)?.interactions['search-type'])
  const search = await parsed(ctx, types, request)
  return searchset(request, search, await ctx.unit.search(search.plan), '')
}

/** The query of the request as a search of `types`. */
export async function parsed(
  ctx: Context,
  types: readonly string[],
  request: InteractionRequest,
): Promise<ParsedSearch> {
  const parametersOf = await clinicParameters(ctx, request.services.parametersOf)
  const options = { ...optionsOf(ctx, types, request), parametersOf }
  return lookedUp(ctx, (ask) => parseSearch(request.query, { ...options, ask }))
}

const optionsOf = (
  { clinic, now }: Context,
  types: readonly string[],
  { base, lenient, services: { limits, fullText } }: InteractionRequest,
): Omit<SearchOptions, 'ask'> => ({
  clinic,
  types,
  lenient,
  defaultCount: limits.defaultCount,
  maxCount: limits.maxCount,
  includeLimit: limits.includes,
  baseUrl: base,
  now,
  fullText,
})

/** @param path what was searched, below the base address: `Patient`, `Patient/123/Observation`, '' for everything */
export function searchset(
  request: InteractionRequest,
  search: ParsedSearch,
  answer: SearchAnswer,
  path: string,
): InteractionResponse {
  const { base } = request
  const entries = [
    ...answer.matches.map((match) => searchEntry(base, match, subsetText(match.text, match.type, search), 'match')),
    ...answer.included.map((include) =>
      searchEntry(base, include, subsetText(include.text, include.type, search), 'include'),
    ),
  ]
  const warnings = [...search.warnings, ...(answer.truncated ? [truncation(request)] : [])]
  if (warnings.length > 0) entries.push(outcomeEntry(toOutcome(warnings)))
  const text = bundleText(
    { type: 'searchset', total: answer.total, links: pageLinks(`${base}/${path}`, search.used, answer.next) },
    search.summary === 'count' ? [] : entries,
  )
  return { status: 200, text, kind: 'read' }
}

const truncation = ({ services: { limits } }: InteractionRequest): Issue => ({
  severity: 'warning',
  code: 'incomplete',
  diagnostics: `More than ${limits.includes} resources are included; the rest was left out. Ask for smaller pages with _count.`,
})
