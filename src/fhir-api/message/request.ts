/** An HTTP request as an InteractionRequest: query, body and headers, each read once. */
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../../fhir/outcome.ts'
import { parseBody, parseXmlBody, readBody, readBytes } from '../../http/message/body.ts'
import { type Format, RESOURCE_TYPES } from '../../http/message/media-type.ts'
import { contentTypeOf, type Preferences } from '../../http/message/negotiate.ts'
import { headerOf } from '../../http/message/path-segment.ts'
import type { InteractionRequest, PathParameters, RawBody, Route, Services } from './interaction.ts'
import { receiveRaw, takesBytes } from './raw-binary.ts'

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
    prefersAsync: prefer.isAsync,
    services,
  }
}

/** The parsed body of a request; for bytes their Binary. */
export interface Content {
  readonly body: unknown
  readonly raw?: RawBody
}

interface ContentReceiver {
  readonly services: Services
  readonly clinic: string
}

/**
 * Undefined where the request has no body.
 * @throws FhirError 400, 413 or 415 for a body that cannot be read
 */
export const readContent = (
  koa: KoaContext,
  route: Route,
  parameters: PathParameters,
  receiver: ContentReceiver,
): Promise<Content> | undefined =>
  route.method === 'GET' || route.method === 'DELETE' || isForm(route)
    ? undefined
    : readContentOf(koa, route, parameters, receiver)

async function readContentOf(
  koa: KoaContext,
  route: Route,
  { type, id }: PathParameters,
  { services, clinic }: ContentReceiver,
): Promise<Content> {
  const raw = takesBytes(route, type) ? await receiveRaw(koa, id, { ...services, clinic }) : undefined
  return raw === undefined ? { body: await readBodyOf(koa, route, services.limits) } : { body: raw.resource, raw }
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
