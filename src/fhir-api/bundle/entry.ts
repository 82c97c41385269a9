/** Bundle.entry read and routed: https://hl7.org/fhir/R4/bundle.html, https://hl7.org/fhir/R4/http.html#transaction. */
import type { Limits } from '../../config.ts'
import { structureOf } from '../../fhir/definitions.ts'
import { badRequest, FhirError, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { parseBody } from '../../http/message/body.ts'
import { rethrowBudgetError } from '../../isolation/budget.ts'
import { matchRoute, type RouteMatch } from '../interactions/routes.ts'
import type { InteractionRequest } from '../message/interaction.ts'

/** One entry, read and routed but not yet carried out. */
export interface Entry {
  readonly index: number
  readonly fullUrl: string | undefined
  /** Answered like a GET, without the resource. */
  readonly isHead: boolean
  readonly match: RouteMatch
  /** Relative to the base: path and query. */
  readonly url: string
  readonly request: InteractionRequest
}

export interface ReadBundle {
  readonly type: 'batch' | 'transaction'
  readonly entries: readonly Entry[]
  /** In a batch, entries that cannot be read are answered by themselves: the error of each, by its index. */
  readonly unreadable: ReadonlyMap<number, FhirError>
}

/** @throws FhirError 400 naming the entry of a transaction, 413 when there are too many. */
export function readBundle(request: InteractionRequest): ReadBundle {
  const { body, services } = request
  if (!isObject(body) || body.resourceType !== 'Bundle')
    throw badRequest('POST to the base address takes a Bundle of type batch or transaction')
  const { type, entry = [] } = body
  if (type !== 'batch' && type !== 'transaction') {
    throw badRequest(`Bundle.type is ${JSON.stringify(type)}; the base address takes batch or transaction`, {
      expression: 'Bundle.type',
    })
  }
  checkNames(body, 'Bundle', 'Bundle')
  if (!services.system.has(type)) {
    throw new FhirError(405, {
      code: 'not-supported',
      diagnostics: `This server does not offer ${type} (see /metadata)`,
    })
  }
  if (!Array.isArray(entry)) throw badRequest('Bundle.entry must be an array', { expression: 'Bundle.entry' })
  if (entry.length > services.limits.bundleEntries) {
    throw new FhirError(413, {
      code: 'too-costly',
      diagnostics: `The Bundle has ${entry.length} entries; this server takes ${services.limits.bundleEntries} at most`,
      expression: 'Bundle.entry',
    })
  }
  return { type, ...readEntries(entry, request, type === 'batch') }
}

function readEntries(
  items: readonly unknown[],
  bundle: InteractionRequest,
  standAlone: boolean,
): Pick<ReadBundle, 'entries' | 'unreadable'> {
  const entries: Entry[] = []
  const unreadable = new Map<number, FhirError>()
  for (const [index, item] of items.entries()) {
    try {
      entries.push(readEntry(item, index, bundle))
    } catch (error) {
      if (!standAlone || !(error instanceof FhirError)) throw error
      unreadable.set(index, error)
    }
  }
  return { entries, unreadable }
}

function readEntry(item: unknown, index: number, bundle: InteractionRequest): Entry {
  const at = `Bundle.entry[${index}]`
  if (!isObject(item) || !isObject(item.request))
    throw badRequest(`${at}.request is missing; it needs method and url`, { expression: `${at}.request` })
  checkNames(item, 'Bundle.entry', at)
  checkNames(item.request, 'Bundle.entry.request', `${at}.request`)
  const { method, url, path, query } = addressOf(item.request, at, bundle.base)
  const match = matchRoute(method === 'HEAD' ? 'GET' : method, path)
  if (match === undefined || match.route.run.kind === 'bundle') {
    throw badRequest(`${at}: '${method} ${path}' is no interaction that can stand in a Bundle`, {
      expression: `${at}.request`,
    })
  }
  return {
    index,
    fullUrl: typeof item.fullUrl === 'string' ? item.fullUrl : undefined,
    isHead: method === 'HEAD',
    match,
    url,
    request: {
      ...requestOf(bundle, match, query),
      body: method === 'PATCH' ? patchOf(item.resource, at, bundle.services.limits) : item.resource,
      ...conditionsOf(item.request, at),
    },
  }
}

/** `url` is relative to the base, or below it. */
function addressOf({ method, url }: Record<string, unknown>, at: string, base: string) {
  if (typeof method !== 'string' || typeof url !== 'string')
    throw badRequest(`${at}.request needs method and url`, { expression: `${at}.request` })
  const relative = url.startsWith(`${base}/`) ? url.slice(base.length + 1) : url.replace(/^\//, '')
  const [path = '', query = ''] = relative.split(/\?(.*)/s)
  return { method, url: relative, path, query }
}

/** The address is the entry's own; all else is that of the Bundle. */
const requestOf = (
  { base, handling, wantsOutcome, isImport, services, strictness }: InteractionRequest,
  { parameters: { type, id, versionId, member } }: RouteMatch,
  query: string,
) => ({
  ...{ type, id, versionId, member, query: new URLSearchParams(query) },
  ...{ base, handling, wantsOutcome, isImport, services, strictness },
})

/** Only of the elements that the server reads itself: a resource in the Bundle is validated by its own interaction. */
function checkNames(element: object, type: string, at: string): void {
  const known = new Set(structureOf(type)?.elements.flatMap(({ properties }) => [...properties.keys()]))
  const unknown = Object.keys(element).find((name) => name !== 'resourceType' && !known.has(name.replace(/^_/, '')))
  if (unknown === undefined) return
  throw badRequest(`Unknown element ${at}.${unknown} in ${type}; expected one of ${[...known].join(', ')}`, {
    expression: `${at}.${unknown}`,
  })
}

const CONDITIONS = ['ifMatch', 'ifNoneMatch', 'ifNoneExist', 'ifModifiedSince'] as const

/** A condition that is not text must not be ignored: the change would be made without it. */
function conditionsOf(
  request: Record<string, unknown>,
  at: string,
): Pick<InteractionRequest, (typeof CONDITIONS)[number]> {
  const given = CONDITIONS.filter((name) => request[name] !== undefined)
  return Object.fromEntries(
    given.map((name) => {
      const value = request[name]
      if (typeof value === 'string') return [name, value]
      throw badRequest(`${at}.request.${name} must be text`, { expression: `${at}.request.${name}` })
    }),
  )
}

const PATCH_TYPES: readonly unknown[] = ['application/json-patch+json', 'application/xml-patch+xml']

/** A FHIRPath Patch is a resource itself; a JSON Patch or XML Patch travels in a Binary (http.html#patch). */
function patchOf(resource: unknown, at: string, { jsonDepth }: Limits): unknown {
  const { resourceType, contentType, data } = isObject(resource) ? resource : {}
  if (resourceType === 'Parameters') return resource
  if (resourceType !== 'Binary' || typeof data !== 'string' || !PATCH_TYPES.includes(contentType)) {
    throw badRequest(
      `${at}.resource of a PATCH must be Parameters with a FHIRPath Patch, or a Binary with contentType ${PATCH_TYPES.join(' or ')} and the patch as base64 data`,
      { expression: `${at}.resource` },
    )
  }
  const text = Buffer.from(data, 'base64').toString('utf8')
  if (contentType === 'application/xml-patch+xml') return text
  const patch = attempt(() => parseBody(text, jsonDepth))
  if (Array.isArray(patch)) return patch
  throw badRequest(`${at}.resource.data does not hold a JSON Patch`, { expression: `${at}.resource.data` })
}

function attempt(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    rethrowBudgetError(error)
    return undefined
  }
}

/** `error` of a transaction, saying which entry it is about. */
export function inEntry(error: FhirError, { index, match, request }: Entry): FhirError {
  const name = `Bundle.entry[${index}]`
  const inside = (path: string): string => `${name}.resource${path.replace(/^[A-Za-z]+/, '')}`
  const issues = error.issues.map(
    (issue): Issue => ({
      ...issue,
      diagnostics: `${name} (${match.route.method} ${request.type}): ${issue.diagnostics}`,
      expression: issue.expression === undefined ? name : [issue.expression].flat().map(inside),
    }),
  )
  return new FhirError(error.status, issues, error.headers)
}

/** Errors of a transaction say which entry they are about. */
export async function naming<T>(entry: Entry, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    throw inEntry(error, entry)
  }
}
