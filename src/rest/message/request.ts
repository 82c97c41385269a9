/** An HTTP request as an InteractionRequest: query, body and headers, each read once. */
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../../fhir/outcome.ts'
import { parseBody, parseXmlBody, readBody, readBytes } from './body.ts'
import { headerOf } from './header.ts'
import type { InteractionRequest, PathParameters, Route, Services } from './interaction.ts'
import { type Format, RESOURCE_TYPES } from './media-type.ts'
import { contentTypeOf, type Preferences } from './negotiate.ts'
import { receiveRaw, takesBytes } from './raw-binary.ts'

type Limits = Services['limits']

/** Room for as many values as a query may have, of a hundred characters each. */
const MAX_FORM_BYTES = 1024 * 1024

/**
 * The query string; of `POST _search` the parameters in the body too, which come in either or both (http.html#search).
 * @throws FhirError 400, 413 or 415 for a form that cannot be read
 */
export async function readQuery(koa: KoaContext, route: Route, limits: Limits): Promise<URLSearchParams> {
  const query = new URLSearchParams(koa.querystring)
  if (!isForm(route)) return query
  contentTypeOf(koa, ['application/x-www-form-urlencoded'])
  const form = await readBody(koa, Math.min(limits.bodyBytes, MAX_FORM_BYTES))
  for (const [name, value] of new URLSearchParams(form)) query.append(name, value)
  return query
}

/** The parameters come in the body. */
export const isForm = ({ code, method }: Route): boolean => code.startsWith('search') && method === 'POST'

interface RequestParts {
  readonly parameters: PathParameters
  readonly query: URLSearchParams
  /** The address of this server as the client sees it, without a trailing slash. */
  readonly base: string
  readonly prefer: Preferences
  readonly services: Services
  readonly clinic: string
}

/** @throws FhirError 400, 413 or 415 for a body that cannot be read */
export async function readRequest(
  koa: KoaContext,
  route: Route,
  { parameters: { type, id, versionId, member }, query, base, prefer, services, clinic }: RequestParts,
): Promise<InteractionRequest> {
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE' && !isForm(route)
  const raw = takesBytes(route, type) ? await receiveRaw(koa, id, { ...services, clinic }) : undefined
  const body = raw === undefined && hasBody ? await readContent(koa, route, services.limits) : raw?.resource
  return {
    type,
    id,
    versionId,
    member,
    query,
    body,
    ...(raw === undefined ? {} : { raw }),
    ifMatch: headerOf(koa, 'if-match'),
    ifNoneMatch: headerOf(koa, 'if-none-match'),
    // An empty one is criteria that choose nothing, not a create without criteria.
    ifNoneExist: koa.req.headers['if-none-exist']?.toString(),
    ifModifiedSince: headerOf(koa, 'if-modified-since'),
    base,
    handling: prefer.handling,
    wantsOutcome: prefer.return === 'OperationOutcome',
    prefersAsync: prefer.isAsync,
    services,
  }
}

const JSON_PATCH = 'application/json-patch+json'

/** How the body of a PATCH is read; a FHIRPath Patch is a resource, an XML Patch stays text until it is applied. */
export const PATCH_TYPES: ReadonlyMap<string, Format | 'text'> = new Map<string, Format | 'text'>([
  ...RESOURCE_TYPES,
  [JSON_PATCH, 'json'],
  ['application/xml-patch+xml', 'text'],
])

/** A file that is the whole body of an operation is taken for a Binary. */
const FILE_TYPES: readonly string[] = ['application/gzip', 'application/x-gzip']

async function readContent(koa: KoaContext, route: Route, limits: Limits): Promise<unknown> {
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
