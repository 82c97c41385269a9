/** Between Koa and the interactions: a request in, its interaction carried out, the response and its headers out. */
import type { Context as KoaContext } from 'koa'
import { parseJson } from '../fhir/json.ts'
import type { ClinicAccess } from '../providers/context.ts'
import { parseBody, readBody } from './body.ts'
import { bodyText } from './body-text.ts'
import { processBundle } from './bundle.ts'
import { headerOf } from './header.ts'
import { etagOf, type InteractionRequest, type InteractionResponse, type Services } from './interaction.ts'
import { checkContentType, negotiate, type Preferences, preferences } from './negotiate.ts'
import { runOperation } from './operation.ts'
import type { Route, RouteMatch } from './routes.ts'

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
    const contentType = negotiate(headerOf(koa, 'accept') ?? '', query.get('_format'))
    const preferred = headerOf(koa, 'prefer') ?? ''
    const prefer = preferences(preferred)
    const request = await readRequest(koa, parameters, route, query, services, prefer.lenient)
    const response = await run(
      route,
      services.accessOf(koa),
      request,
      parameters,
      prefer.return === 'representation' && preferred !== '',
    )
    send(koa, request, response, contentType, prefer.return)
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
  return access.change((ctx) => handler(ctx, request))
}

async function readRequest(
  koa: KoaContext,
  { type, id, versionId }: Parameters,
  route: Route,
  query: URLSearchParams,
  services: HttpServices,
  lenient: boolean,
): Promise<InteractionRequest> {
  const isForm = route.code.startsWith('search') && route.method === 'POST'
  if (isForm) await addForm(koa, query, services)
  const body =
    route.method === 'GET' || route.method === 'DELETE' || isForm ? undefined : await readJson(koa, route, services)
  return {
    type,
    id,
    versionId,
    query,
    body,
    ifMatch: headerOf(koa, 'if-match'),
    ifNoneMatch: headerOf(koa, 'if-none-match'),
    // An empty one is criteria that choose nothing, not a create without criteria.
    ifNoneExist: koa.req.headers['if-none-exist']?.toString(),
    ifModifiedSince: headerOf(koa, 'if-modified-since'),
    base: services.baseOf(koa),
    lenient,
    services,
  }
}

const PATCH_TYPES = ['application/json-patch+json']

async function readJson(koa: KoaContext, route: Route, { limits }: Services): Promise<unknown> {
  if (route.method === 'PATCH') checkContentType(koa, PATCH_TYPES)
  else checkContentType(koa)
  const text = await readBody(koa, limits.bodyBytes)
  // An operation without parameters may come without a body.
  if (text === '' && route.run.kind === 'operation') return undefined
  return parseBody(text, limits.jsonDepth)
}

/** As many values as a query may have, each of a hundred characters, fit. */
const MOST_FORM_BYTES = 1024 * 1024

/** Parameters of `POST _search` come in the body, in the query string, or both (http.html#search). */
async function addForm(koa: KoaContext, query: URLSearchParams, { limits }: Services): Promise<void> {
  checkContentType(koa, ['application/x-www-form-urlencoded'])
  const form = await readBody(koa, Math.min(limits.bodyBytes, MOST_FORM_BYTES))
  for (const [name, value] of new URLSearchParams(form)) query.append(name, value)
}

function send(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  contentType: string,
  wanted: Preferences['return'],
): void {
  const { resource, location, status } = response
  // First, since it may fail: an error must not carry the headers of the resource.
  const text = bodyText(response, request, wanted)
  koa.status = status
  if (resource !== undefined) {
    koa.response.set('ETag', etagOf(resource.version))
    koa.response.set('Last-Modified', new Date(resource.lastUpdated).toUTCString())
  }
  if (location !== undefined) koa.set('Location', location)
  if (text === undefined) {
    koa.body = null
    koa.status = status
    return
  }
  // A deletion answers 204 unless it has something to say.
  if (status === 204) koa.status = 200
  koa.response.set('Content-Type', contentType)
  koa.body = request.query.get('_pretty') === 'true' ? JSON.stringify(parseJson(text), null, 2) : text
}
