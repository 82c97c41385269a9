/** history of an instance, a type and the system: https://hl7.org/fhir/R4/http.html#history. */
import type { Context } from '../../core/context.ts'
import { handlerOf } from '../../core/provider.ts'
import { checkPageSize, isLenient } from '../../core/search-request.ts'
import { parseDateRange } from '../../fhir/dates.ts'
import { resourceTypes } from '../../fhir/definitions.ts'
import { parseJson } from '../../fhir/json.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import type { HistoryPage, HistoryQuery, StoredResource } from '../../repository/repository.ts'
import { listId } from '../../search/query/criterion.ts'
import { isCacheBuster } from '../../search/query/result-parameters.ts'
import { subsetOf } from '../../search/query/subset.ts'
import { subsetText } from '../../search/query/subset-text.ts'
import { unescaped, valuesOf } from '../../search/value.ts'
import { type BundleLink, bundleText, historyEntry } from '../message/bundle-writer.ts'
import type { InteractionHandler, InteractionRequest, InteractionResponse } from '../message/interaction.ts'

export const historyInstance: InteractionHandler = async (ctx, request) => {
  const { type, id, services } = request
  const handler = handlerOf(services.providers, type, 'history-instance')
  return historyBundle(ctx, request, (query) => handler(ctx, { ...query, type, id }))
}

export const historyType: InteractionHandler = async (ctx, request) => {
  const { type, services } = request
  const handler = handlerOf(services.providers, type, 'history-type')
  return historyBundle(ctx, request, (query) => handler(ctx, { ...query, type }))
}

export const historySystem: InteractionHandler = (ctx, request) =>
  historyBundle(ctx, request, (query) => ctx.unit.history(query))

type PageQuery = Omit<HistoryQuery, 'clinic' | 'type' | 'id'>

const PARAMETERS = ['_count', '_since', '_at', '_list', '_cursor', '_format', '_pretty', '_summary', '_elements']

/** @throws FhirError 400 for a parameter that history has not, unless such are ignored */
async function checkNames(ctx: Context, { query, handling }: InteractionRequest): Promise<void> {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name) && !isCacheBuster(name))
  if (unknown !== undefined && !(await isLenient(ctx, handling)))
    throw badRequest(`history has no parameter '${unknown}'; it has _count, _since, _at, _list, _summary, _elements`)
}

/** Empty parameters are ignored. @throws FhirError 400 naming the parameter; OffloadRequired for a large page */
function readQuery({ query, services: { limits } }: InteractionRequest): PageQuery {
  const [since, at, after] = ['_since', '_at', '_cursor'].map((name) => query.get(name) || undefined)
  const count = readCount(query.get('_count') || undefined, limits.defaultCount, limits.maxCount)
  checkPageSize(count)
  return {
    count,
    ...(since === undefined ? {} : { since: dateRange('_since', since).low }),
    ...(at === undefined ? {} : { at: { from: dateRange('_at', at).low, to: dateRange('_at', at).high } }),
    ...(after === undefined ? {} : { after }),
  }
}

function readCount(text: string | undefined, fallback: number, most: number): number {
  if (text === undefined) return fallback
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`_count=${text} is not a whole number of 0 or more`)
  return Math.min(Number(text), most)
}

function dateRange(name: string, text: string): { low: number; high: number } {
  // '+' of a time zone arrives as a space where the client did not escape it.
  const range = parseDateRange(text.replace(' ', '+'))
  if (range === undefined) throw badRequest(`${name}=${text} is not a date or instant such as 2026-03-01T09:00:00Z`)
  return range
}

async function historyBundle(
  ctx: Context,
  request: InteractionRequest,
  pageOf: (query: PageQuery) => Promise<HistoryPage>,
): Promise<InteractionResponse> {
  const { base, type, query } = request
  await checkNames(ctx, request)
  const subset = subsetOf(query, ...(type === '' ? resourceTypes : [type]))
  const list = query.get('_list') || undefined
  const among = list === undefined ? {} : { among: await listedVersions(ctx, list, base) }
  const { versions, next, total } = await pageOf({ ...readQuery(request), ...among })
  const isCount = subset.summary === 'count'
  const entry = async (version: StoredResource): Promise<string> => {
    const text = version.method === 'DELETE' ? '' : subsetText(version.text, version.type, subset)
    return historyEntry(base, { ...version, text }, await isCreation(ctx, version, versions))
  }
  const text = bundleText(
    { type: 'history', total, links: links(request, isCount ? undefined : next) },
    isCount ? [] : await Promise.all(versions.map(entry)),
  )
  return { status: 200, text, about: versions, kind: 'read' }
}

/** Whether the version brought the resource into being, or back after a deletion. */
async function isCreation(
  { unit }: Context,
  { type, id, version, method }: StoredResource,
  page: readonly StoredResource[],
): Promise<boolean> {
  if (version === 1 || method === 'DELETE') return version === 1
  const isBefore = (other: StoredResource) => other.version === version - 1 && other.id === id && other.type === type
  const before = page.find(isBefore) ?? (await unit.readVersion(type, id, version - 1))
  return before?.method === 'DELETE'
}

function links({ base, type, id, query }: InteractionRequest, next: string | undefined): BundleLink[] {
  const path = [base, type, id, '_history'].filter(Boolean).join('/')
  const given = new URLSearchParams([...query].filter(([name]) => name !== '_cursor' && !isCacheBuster(name)))
  const address = (parameters: URLSearchParams): string => (parameters.size === 0 ? path : `${path}?${parameters}`)
  const self: BundleLink = { relation: 'self', url: address(given) }
  return next === undefined
    ? [self]
    : [self, { relation: 'next', url: address(new URLSearchParams([...given, ['_cursor', next]])) }]
}

type Listed = NonNullable<HistoryQuery['among']>
type ListedVersion = Listed['versions'][number]

/** Most versions of a list: each is looked up, for the page and for the total. */
const MAX_LISTED = 10_000

/**
 * `_list`: "Only include resource versions that are referenced in the specified list" (http.html#history). A reference without a
 * version means all versions of its resource.
 * @returns the versions that the Lists in `value` refer to; none for a List that does not exist.
 * @param base the address of this server: references below it are its own
 * @throws FhirError 400 for a value that is not the id of a List, 422 for too many entries
 * @throws BudgetError
 */
async function listedVersions(ctx: Context, value: string, base: string): Promise<Listed> {
  const context = { name: '_list', baseUrl: base }
  const ids = valuesOf(value, context).map((text) => listId(unescaped(text), context))
  const versions = new Map<string, ListedVersion>()
  for (const id of new Set(ids)) {
    for (const reference of await itemsOf(ctx, id)) {
      const version = versionOf(reference, base)
      if (version !== undefined) versions.set(JSON.stringify(version), version)
    }
    if (versions.size > MAX_LISTED) throw tooManyEntries(value)
  }
  return { name: ids.join(), versions: [...versions.values()] }
}

async function itemsOf({ unit }: Context, id: string): Promise<readonly string[]> {
  const stored = await unit.read('List', id)
  if (stored === undefined || stored.deleted) return []
  const list = parseJson(stored.text)
  const entries: readonly unknown[] = isObject(list) && Array.isArray(list.entry) ? list.entry : []
  return entries.flatMap((entry) => {
    const item = isObject(entry) && isObject(entry.item) ? entry.item : {}
    return typeof item.reference === 'string' ? item.reference : []
  })
}

/** Undefined for a reference to another server, and for a version that this server cannot have assigned. */
function versionOf(reference: string, base: string): ListedVersion | undefined {
  const { type, id, version } = localReference(reference, base) ?? {}
  if (type === undefined || id === undefined) return undefined
  if (version === undefined) return { type, id }
  return /^\d{1,15}$/.test(version) ? { type, id, version: Number(version) } : undefined
}

const tooManyEntries = (value: string): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `_list=${value}: the entries refer to more than ${MAX_LISTED} resources, the most a history looks for; ask by smaller Lists`,
  })
