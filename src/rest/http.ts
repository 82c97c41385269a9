/** Between Koa and the interactions: a request in, its interaction carried out, the response and its headers out. */
import type { Context as KoaContext } from 'koa'
import { parseJson } from '../fhir/json.ts'
import { toOutcome } from '../fhir/outcome.ts'
import type { ClinicAccess } from '../providers/context.ts'
import { parseBody, readBody } from './body.ts'
import { processBundle } from './bundle.ts'
import { etagOf, type InteractionRequest, type InteractionResponse, type Services } from './interaction.ts'
import { checkContentType, negotiate, preferences } from './negotiate.ts'
import { runOperation } from './operation.ts'
import type { Route } from './routes.ts'
import { subsetOf, subsetText } from './summary.ts'

export interface HttpServices extends Services {
  readonly accessOf: (koa: KoaContext) => ClinicAccess
  readonly baseOf: (koa: KoaContext) => string
}

/** A request with the variable parts of its path. */
export type FhirContext = KoaContext & { params: Readonly<Record<string, string | undefined>> }

/** Koa middleware that carries out `route`. */
export const carryOut =
  (route: Route, services: HttpServices) =>
  async (koa: FhirContext): Promise<void> => {
    const query = new URLSearchParams(koa.querystring)
    const contentType = negotiate(koa.get('accept'), query.get('_format'))
    const prefer = preferences(koa.get('prefer'))
    const request = await readRequest(koa, route, query, services, prefer.lenient)
    const response = await run(
      route,
      services.accessOf(koa),
      request,
      koa,
      prefer.return === 'representation' && koa.get('prefer') !== '',
    )
    send(koa, request, response, contentType, prefer.return)
  }

async function run(
  route: Route,
  access: ClinicAccess,
  request: InteractionRequest,
  koa: FhirContext,
  representation: boolean,
): Promise<InteractionResponse> {
  if (route.run.kind === 'bundle') return processBundle(access, request, representation)
  if (route.run.kind === 'operation') return runOperation(access, koa.params.operation ?? '', route, request)
  const { handler } = route.run
  // POST _search reads, though its method does not say so.
  if (route.method === 'GET' || route.code.startsWith('search')) return handler(access.reader(), request)
  return access.change((ctx) => handler(ctx, request))
}

async function readRequest(
  koa: FhirContext,
  route: Route,
  query: URLSearchParams,
  services: HttpServices,
  lenient: boolean,
): Promise<InteractionRequest> {
  const isForm = route.code.startsWith('search') && route.method === 'POST'
  if (isForm) await addForm(koa, query, services)
  const { type = '', id = '', versionId = '' } = koa.params
  const body =
    route.method === 'GET' || route.method === 'DELETE' || isForm ? undefined : await readJson(koa, route, services)
  return {
    type,
    id,
    versionId,
    query,
    body,
    ...header(koa, 'if-match', 'ifMatch'),
    ...header(koa, 'if-none-match', 'ifNoneMatch'),
    ...header(koa, 'if-none-exist', 'ifNoneExist'),
    ...header(koa, 'if-modified-since', 'ifModifiedSince'),
    base: services.baseOf(koa),
    lenient,
    services,
  }
}

function header(koa: KoaContext, name: string, property: string): Readonly<Record<string, string>> {
  const value = koa.get(name)
  return value === '' ? {} : { [property]: value }
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

/** Parameters of `POST _search` come in the body, in the query string, or both (http.html#search). */
async function addForm(koa: KoaContext, query: URLSearchParams, { limits }: Services): Promise<void> {
  checkContentType(koa, ['application/x-www-form-urlencoded'])
  for (const [name, value] of new URLSearchParams(await readBody(koa, limits.bodyBytes))) query.append(name, value)
}

function send(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  contentType: string,
  wanted: 'minimal' | 'representation' | 'OperationOutcome',
): void {
  const { resource, location, status } = response
  koa.status = status
  if (resource !== undefined) {
    koa.set('ETag', etagOf(resource.version))
    koa.set('Last-Modified', new Date(resource.lastUpdated).toUTCString())
  }
  if (location !== undefined) koa.set('Location', location)
  const text = status === 304 ? undefined : bodyText(response, request, wanted)
  if (text === undefined) {
    koa.body = null
    koa.status = status
    return
  }
  // A deletion answers 204 unless it has something to say.
  if (status === 204) koa.status = 200
  koa.set('Content-Type', contentType)
  koa.body = request.query.get('_pretty') === 'true' ? JSON.stringify(parseJson(text), null, 2) : text
}

function bodyText(
  response: InteractionResponse,
  request: InteractionRequest,
  wanted: 'minimal' | 'representation' | 'OperationOutcome',
): string | undefined {
  const { resource, text, outcome, kind, status } = response
  if (text !== undefined) return text
  if (kind === 'write') {
    if (wanted === 'OperationOutcome') return JSON.stringify(outcome ?? done(status))
    if (wanted === 'minimal' || outcome !== undefined) return undefined
  }
  if (resource === undefined || resource.deleted) return undefined
  return kind === 'read' && request.query.size > 0
    ? subsetText(resource.text, resource.type, subsetOf(request.query))
    : resource.text
}

const done = (status: number) =>
  toOutcome([
    {
      severity: 'information',
      code: 'informational',
      diagnostics: status === 201 ? 'The resource was created' : 'The change was stored',
    },
  ])
