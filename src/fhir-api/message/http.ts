/**
 * HTTP requests as InteractionRequests, whose query, body and headers are each read once, and InteractionResponses as HTTP
 * responses, whose body an entry of a Bundle has too: https://hl7.org/fhir/R4/http.html#ops.
 */
import type { Context as KoaContext } from 'koa'
import { badRequest, type Issue, toOutcome } from '../../fhir/outcome.ts'
import { headerOf } from '../../http/headers.ts'
import { parseBody, parseXmlBody, readBody, readBytes } from '../../http/message/body.ts'
import {
  type AnswerFormat,
  contentTypeOf,
  FHIR_JSON,
  type Format,
  formatBody,
  negotiate,
  type Preferences,
  RESOURCE_TYPES,
} from '../../http/message/format.ts'
import type { Versioned } from '../../repository/repository.ts'
import { subsetOf } from '../../search/query/subset.ts'
import { subsetText } from '../../search/query/subset-text.ts'
import type {
  InteractionRequest,
  InteractionResponse,
  PathParameters,
  RawBody,
  Route,
  Services,
} from './interaction.ts'

type Limits = Services['limits']

/** Enough for all values that a query may have, of a hundred characters each. */
const MAX_FORM_BYTES = 1024 * 1024

/** Whether the parameters come in the body. */
export const isForm = ({ code, method }: Route): boolean => method === 'POST' && code.startsWith('search')

/** See readForm. */
export const readQuery = (koa: KoaContext, route: Route, limits: Limits): URLSearchParams | Promise<URLSearchParams> =>
  isForm(route) ? readForm(koa, limits) : queryOf(koa)

function queryOf({ req: { url = '' } }: Pick<KoaContext, 'req'>): URLSearchParams {
  const begin = url.indexOf('?')
  return begin === -1 ? NO_QUERY : new URLSearchParams(url.slice(begin))
}

/**
 * The empty query of all requests without one, immutable because shared: to make one costs as much as to route a
 * request.
 */
const NO_QUERY = new (class extends URLSearchParams {
  override append = unchangeable
  override set = unchangeable
  override delete = unchangeable
})()

function unchangeable(): never {
  throw new TypeError('The query of a request is not to be changed')
}

/**
 * The parameters of `POST _search`, which come in the body, the query string, or both (http.html#search).
 * @throws FhirError 400, 413 or 415 for a form that cannot be read
 */
async function readForm(koa: KoaContext, limits: Limits): Promise<URLSearchParams> {
  const query = new URLSearchParams(queryOf(koa))
  contentTypeOf(koa, ['application/x-www-form-urlencoded'])
  const form = await readBody(koa, Math.min(limits.bodyBytes, MAX_FORM_BYTES))
  for (const [name, value] of new URLSearchParams(form)) query.append(name, value)
  return query
}

interface RequestParts {
  readonly query: URLSearchParams
  /** The address of this server as the client sees it, without a trailing slash. */
  readonly base: string
  readonly prefer: Preferences
  readonly isImport: boolean
  readonly services: Services
  /** Undefined where the request has no body, or one that holds its query. */
  readonly content: Content | undefined
}

/** An empty header is kept: it is criteria that choose nothing, not a create without criteria. */
const ifNoneExistOf = ({ req }: KoaContext): string | undefined =>
  req.headers['if-none-exist'] === '' ? '' : headerOf({ req }, 'if-none-exist')

export function requestOf(
  koa: KoaContext,
  { type, id, versionId, member }: PathParameters,
  { query, base, prefer, isImport, services, content }: RequestParts,
): InteractionRequest {
  return {
    type,
    id,
    versionId,
    member,
    query,
    body: content?.body,
    raw: content?.raw,
    ifMatch: headerOf(koa, 'if-match'),
    ifNoneMatch: headerOf(koa, 'if-none-match'),
    ifNoneExist: ifNoneExistOf(koa),
    ifModifiedSince: headerOf(koa, 'if-modified-since'),
    base,
    handling: prefer.handling,
    wantsOutcome: prefer.return === 'OperationOutcome',
    isImport,
    url: koa.req.url ?? '',
    prefersAsync: prefer.isAsync,
    services,
  }
}

/** The parsed body of a request; for bytes their Binary. */
export interface Content {
  readonly body: unknown
  readonly raw?: RawBody
}

/** How the bodies of a type are received and sent. */
export interface Bodies {
  /** The format of the response; undefined where it may be bytes, whose type is not known yet. @throws FhirError 406 */
  formatOf(koa: KoaContext, route: Route, query: URLSearchParams): AnswerFormat | undefined
  /** Undefined where the request has no body. @throws FhirError 400, 413 or 415 for a body that cannot be read */
  read(koa: KoaContext, route: Route, receiver: ContentReceiver): Promise<Content | undefined> | undefined
  send(
    koa: KoaContext,
    request: InteractionRequest,
    response: InteractionResponse,
    answering: Answering,
  ): Promise<void> | void
}

export interface ContentReceiver {
  /** In the address, or ''. */
  readonly id: string
  readonly clinic: string
  readonly contents: Services['contents']
  readonly limits: Limits
}

/** How a response is to be sent. */
export interface Answering {
  readonly clinic: string
  readonly format: AnswerFormat | undefined
  readonly wanted: Preferences['return']
  /** The Prefer header. */
  readonly preferred: string
}

/** The bodies of every type but Binary. */
export const RESOURCES: Bodies = {
  formatOf: (koa, _route, query) => negotiate(headerOf(koa, 'accept') ?? '', query.get('_format')),
  read: (koa, route, { limits }) =>
    route.method === 'GET' || route.method === 'DELETE' || isForm(route)
      ? undefined
      : readBodyOf(koa, route, limits).then((body) => ({ body })),
  send: (koa, request, response, { format = FHIR_JSON, wanted }) => send(koa, request, response, format, wanted),
}

const JSON_PATCH = 'application/json-patch+json'

/** The syntax of each type of patch; a FHIRPath Patch is a resource, an XML Patch stays text until it is applied. */
export const PATCH_TYPES: ReadonlyMap<string, Format | 'text'> = new Map<string, Format | 'text'>([
  ...RESOURCE_TYPES,
  [JSON_PATCH, 'json'],
  ['application/xml-patch+xml', 'text'],
])

/** Types of a file that is the whole body of an operation, and becomes a Binary. */
const FILE_TYPES: readonly string[] = ['application/gzip', 'application/x-gzip']

async function readBodyOf(koa: KoaContext, route: Route, limits: Limits): Promise<unknown> {
  const types = route.method === 'PATCH' ? PATCH_TYPES : RESOURCE_TYPES
  const fileTypes = route.run.kind === 'operation' ? FILE_TYPES : []
  const type = contentTypeOf(koa, [...types.keys(), ...fileTypes])
  if (type !== undefined && fileTypes.includes(type)) {
    const bytes = await readBytes(koa, limits.bodyBytes)
    return { resourceType: 'Binary', contentType: type, data: bytes.toString('base64') }
  }
  const text = await readBody(koa, limits.bodyBytes)
  // An operation without parameters may come without a body.
  if (text === '' && route.run.kind === 'operation') return undefined
  const body = parsed(text, types.get(type ?? '') ?? 'json', limits)
  if (route.method === 'PATCH') checkPatchType(type, body)
  return body
}

function parsed(text: string, format: Format | 'text', { jsonDepth }: Limits): unknown {
  switch (format) {
    case 'json':
      return parseBody(text, jsonDepth)
    case 'xml':
      return parseXmlBody(text, jsonDepth)
    case 'text':
      return text
  }
}

/** @throws FhirError 400 when the body is a patch of another kind than its media type says */
function checkPatchType(type: string | undefined, body: unknown): void {
  if (type === undefined || Array.isArray(body) === (type === JSON_PATCH)) return
  throw badRequest(
    `The Content-Type is ${type}, but the body is something else; a JSON Patch, an array of operations, is sent as ${JSON_PATCH}, a FHIRPath Patch, a Parameters resource, as application/fhir+json or application/fhir+xml`,
  )
}

/** @throws FhirError 400 for an invalid `_summary` or `_elements`, before anything is sent */
export function send(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  { format, contentType }: AnswerFormat,
  wanted: Preferences['return'],
): void {
  const { resource, location, headers, status } = response
  // First, since it may fail: an error must not carry the headers of the resource.
  const text = bodyText(response, request, wanted)
  const body = text === undefined ? undefined : formatBody(text, format, request.query.get('_pretty') === 'true')
  koa.status = status
  if (resource !== undefined) {
    koa.res.setHeader('ETag', etagOf(resource.version))
    koa.res.setHeader('Last-Modified', new Date(resource.lastUpdated).toUTCString())
  }
  if (location !== undefined) koa.set('Location', location)
  if (headers !== undefined) koa.set(headers)
  // A cache must not answer a request for one format with the other.
  koa.res.setHeader('Vary', 'Accept')
  if (body === undefined) {
    koa.body = null
    koa.status = status
    return
  }
  // A deletion has status 204 unless it has a body.
  if (status === 204) koa.status = 200
  koa.res.setHeader('Content-Type', contentType)
  koa.body = body
}

/** Undefined when the response has none. @throws FhirError 400 for an invalid `_summary` or `_elements` */
export function bodyText(
  { resource, text, outcome, kind, status }: InteractionResponse,
  { query }: Pick<InteractionRequest, 'query'>,
  wanted: Preferences['return'],
): string | undefined {
  if (text !== undefined) return text
  if (status === 304) return undefined
  if (kind === 'write') {
    if (wanted === 'OperationOutcome') return JSON.stringify(outcome ?? toOutcome([done(status)]))
    if (wanted === 'minimal' || outcome !== undefined) return undefined
  }
  if (resource === undefined || resource.deleted) return undefined
  return kind === 'read' && query.size > 0
    ? subsetText(resource.text, resource.type, subsetOf(query, resource.type))
    : resource.text
}

/** The issue of an OperationOutcome about a write that succeeded. */
export const done = (status: number): Issue => ({
  severity: 'information',
  code: 'informational',
  diagnostics: status === 201 ? 'The resource was created' : 'The change was stored',
})

export const etagOf = (version: number): string => `W/"${version}"`

export const locationOf = (base: string, { type, id, version }: Pick<Versioned, 'type' | 'id' | 'version'>): string =>
  `${base}/${type}/${id}/_history/${version}`
