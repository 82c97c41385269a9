/** history of an instance, a type and the system: https://hl7.org/fhir/R4/http.html#history. */

import { parseDateRange } from '../fhir/dates.ts'
import { badRequest } from '../fhir/outcome.ts'
import { handlerOf } from '../providers/context.ts'
import type { HistoryPage, HistoryQuery } from '../repository.ts'
import { type BundleLink, bundleText, historyEntry } from './bundle-writer.ts'
import type { InteractionHandler, InteractionRequest, InteractionResponse } from './interaction.ts'

export const historyInstance: InteractionHandler = async (ctx, request) => {
  const { type, id, services } = request
  return historyBundle(
    request,
    await handlerOf(services.providers, type, 'history-instance')(ctx, { ...readQuery(request), type, id }),
  )
}

export const historyType: InteractionHandler = async (ctx, request) => {
  const { type, services } = request
  return historyBundle(
    request,
    await handlerOf(services.providers, type, 'history-type')(ctx, { ...readQuery(request), type }),
  )
}

export const historySystem: InteractionHandler = async (ctx, request) =>
  historyBundle(request, await ctx.unit.history(readQuery(request)))

const PARAMETERS = ['_count', '_since', '_at', '_cursor', '_format', '_pretty', '_summary', '_elements']

/** @throws FhirError 400 naming the parameter. */
function readQuery({
  query,
  lenient,
  services: { limits },
}: InteractionRequest): Omit<HistoryQuery, 'clinic' | 'type' | 'id'> {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined && !lenient)
    throw badRequest(`history has no parameter '${unknown}'; it has _count, _since, _at`)
  const since = query.get('_since')
  const at = query.get('_at')
  const after = query.get('_cursor')
  return {
    count: readCount(query.get('_count'), limits.defaultCount, limits.maxCount),
    ...(since === null ? {} : { since: dateRange('_since', since).low }),
    ...(at === null ? {} : { at: { from: dateRange('_at', at).low, to: dateRange('_at', at).high } }),
    ...(after === null ? {} : { after }),
  }
}

function readCount(text: string | null, fallback: number, most: number): number {
  if (text === null) return fallback
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`_count=${text} is not a whole number of 0 or more`)
  return Math.min(Number(text), most)
}

function dateRange(name: string, text: string): { low: number; high: number } {
  // '+' of a time zone arrives as a space where the client did not escape it.
  const range = parseDateRange(text.replace(' ', '+'))
  if (range === undefined) throw badRequest(`${name}=${text} is not a date or instant such as 2026-03-01T09:00:00Z`)
  return range
}

function historyBundle(request: InteractionRequest, page: HistoryPage): InteractionResponse {
  const entries = page.versions.map((version) => historyEntry(request.base, version))
  return {
    status: 200,
    text: bundleText({ type: 'history', total: page.total, links: links(request, page.next) }, entries),
    kind: 'read',
  }
}

function links({ base, type, id, query }: InteractionRequest, next: string | undefined): BundleLink[] {
  const path = [base, type, id, '_history'].filter(Boolean).join('/')
  const given = new URLSearchParams([...query].filter(([name]) => name !== '_cursor'))
  const address = (parameters: URLSearchParams): string => (parameters.size === 0 ? path : `${path}?${parameters}`)
  const self: BundleLink = { relation: 'self', url: address(given) }
  return next === undefined
    ? [self]
    : [self, { relation: 'next', url: address(new URLSearchParams([...given, ['_cursor', next]])) }]
}
