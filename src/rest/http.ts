/** Between Koa and the interactions: a request in, its interaction carried out, the response and its headers out. */
import type { Context as KoaContext } from 'koa'
import type { ClinicAccess } from '../core/context.ts'
import { processBundle } from './bundle/bundle.ts'
import { interact } from './interactions/interact.ts'
import { etagOf, type InteractionRequest, type InteractionResponse, type Services } from './interactions/interaction.ts'
import { runOperation } from './interactions/operation.ts'
import { checkPatchType } from './interactions/patch.ts'
import type { Route, RouteMatch } from './interactions/routes.ts'
import { parseBody, parseXmlBody, readBody, readBytes } from './message/body.ts'
import { answerText } from './message/format.ts'
import { headerOf } from './message/header.ts'
import { type Format, RESOURCE_TYPES } from './message/media-type.ts'
import { type AnswerFormat, contentTypeOf, negotiate, type Preferences, preferences } from './message/negotiate.ts'
import { bodyText } from './message/response-body.ts'

export interface HttpServices extends Services {
  readonly accessOf: (koa: KoaContext) => ClinicAccess
  readonly baseOf: (koa: KoaContext) => string
}

/** The variable parts of a request's path. */
type Parameters = RouteMatch['parameters']

/** Koa middleware that carries out `route`. */
export const carryOut =
  (route: Route, services: HttpServices) =>
  async (koa: KoaContext, parameters: Parameters): Promise<void> => {
    const query = new URLSearchParams(koa.querystring)
    if (isForm(route)) await addForm(koa, query, services)
    const format = negotiate(headerOf(koa, 'accept') ?? '', query.get('_format'))
    const preferred = headerOf(koa, 'prefer') ?? ''
    const prefer = preferences(preferred)
    const request = await readRequest(koa, parameters, route, query, services, prefer)
    const response = await run(
      route,
      services.accessOf(koa),
      request,
      parameters,
      prefer.return === 'representation' && preferred !== '',
    )
    send(koa, request, response, format, prefer.return)
  }

async function run(
  route: Route,
  access: ClinicAccess,
  request: InteractionRequest,
  { operation }: Parameters,
  representation: boolean,
): Promise<InteractionResponse> {
  if (route.run.kind === 'bundle') return processBundle(access, request, representation)
  if (route.run.kind === 'operation') return runOperation(access, operation, route, request)
  const { handler } = route.run
  // POST _search reads, though its method does not say so.
  if (route.method === 'GET' || route.code.startsWith('search')) return handler(access.reader(), request)
  return access.change((ctx) => interact(handler, ctx, request))
}

async function readRequest(
  koa: KoaContext,
  { type, id, versionId, member }: Parameters,
  route: Route,
  query: URLSearchParams,
  services: HttpServices,
  prefer: Preferences,
): Promise<InteractionRequest> {
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE' && !isForm(route)
  const body = hasBody ? await readContent(koa, route, services) : undefined
  return {
    type,
    id,
    versionId,
    member,
    query,
    body,
    ifMatch: headerOf(koa, 'if-match'),
    ifNoneMatch: headerOf(koa, 'if-none-match'),
    // An empty one is criteria that choose nothing, not a create without criteria.
    ifNoneExist: koa.req.headers['if-none-exist']?.toString(),
    ifModifiedSince: headerOf(koa, 'if-modified-since'),
    base: services.baseOf(koa),
    lenient: prefer.lenient,
    wantsOutcome: prefer.return === 'OperationOutcome',
    services,
  }
}

/** How the body of a PATCH is read; a FHIRPath Patch is a resource, an XML Patch stays text until it is applied. */
const PATCH_TYPES: ReadonlyMap<string, Format | 'text'> = new Map<string, Format | 'text'>([
  ...RESOURCE_TYPES,
  ['application/json-patch+json', 'json'],
  ['application/xml-patch+xml', 'text'],
])

/** A file that is the whole body of an operation is taken for a Binary. */
const FILE_TYPES: readonly string[] = ['application/gzip', 'application/x-gzip']

async function readContent(koa: KoaContext, route: Route, { limits }: Services): Promise<unknown> {
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

function parsed(text: string, format: Format | 'text', { jsonDepth }: Services['limits']): unknown {
  switch (format) {
    case 'json':
      return parseBody(text, jsonDepth)
    case 'xml':
      return parseXmlBody(text, jsonDepth)
    case 'text':
      return text
  }
}

const isForm = ({ code, method }: Route): boolean => code.startsWith('search') && method === 'POST'

/** As many values as a query may have, each of a hundred characters, fit. */
const MOST_FORM_BYTES = 1024 * 1024

/** Parameters of `POST _search` come in the body, in the query string, or both (http.html#search). */
async function addForm(koa: KoaContext, query: URLSearchParams, { limits }: Services): Promise<void> {
  contentTypeOf(koa, ['application/x-www-form-urlencoded'])
  const form = await readBody(koa, Math.min(limits.bodyBytes, MOST_FORM_BYTES))
  for (const [name, value] of new URLSearchParams(form)) query.append(name, value)
}

function send(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  { format, contentType }: AnswerFormat,
  wanted: Preferences['return'],
): void {
  const { resource, location, status } = response
  // First, since it may fail: an error must not carry the headers of the resource.
  const text = bodyText(response, request, wanted)
  const body = text === undefined ? undefined : answerText(text, format, request.query.get('_pretty') === 'true')
  koa.status = status
  if (resource !== undefined) {
    koa.response.set('ETag', etagOf(resource.version))
    koa.response.set('Last-Modified', new Date(resource.lastUpdated).toUTCString())
  }
  if (location !== undefined) koa.set('Location', location)
  // A cache must not answer with one format who asks for the other.
  koa.response.set('Vary', 'Accept')
  if (body === undefined) {
    koa.body = null
    koa.status = status
    return
  }
  // A deletion answers 204 unless it has something to say.
  if (status === 204) koa.status = 200
  koa.response.set('Content-Type', contentType)
  koa.body = body
}
