/** Requests to the server. Nothing else in the dashboard fetches. */
import type { Bundle, BundleEntry, FhirResource } from 'fhir/r4'
import { addressOf } from './address.ts'
import { heardChange } from './changes.ts'
import { heardTime } from './clock.ts'
import { heardFrom } from './connection.ts'
import { problemOf, unreachable } from './problem.ts'
import { currentSession, sessionAfter } from './session.ts'

export interface ApiRequest {
  readonly method?: string
  /** `Patient?name=x`, or an absolute address of this server. */
  readonly path: string
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface ApiAnswer<T = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
  /** The body as it was received. */
  readonly text: string
}

const ACCEPT = 'application/fhir+json, application/json;q=0.9, */*;q=0.1'

/** @throws Problem where the response is not a success */
export async function send<T>(request: ApiRequest): Promise<ApiAnswer<T>> {
  const own: ApiRequest['headers'] = isRead(request) ? {} : { 'x-run-id': CHANGES }
  const answer = await exchange({ ...request, headers: { ...own, ...request.headers } })
  if (answer.status >= 400) throw problemOf(answer.status, answer.body)
  return answer as ApiAnswer<T>
}

/** Whether a request only reads: a GET or HEAD, or a POST marked as a read. */
const isRead = ({ method = 'GET', headers }: ApiRequest): boolean =>
  method === 'GET' || method === 'HEAD' || headers?.['x-run-id'] === READS

/**
 * X-Run-Id of the requests by which pages read, so that the journal can hide them. Requests of the console and the telephone
 * carry neither this nor the other, as they play a client.
 */
export const READS = 'dashboard'

/** X-Run-Id of the requests by which people change something on a page, so that no run takes them for its client's. */
const CHANGES = 'dashboard-change'

/** @throws Problem where the response is not a success */
export const get = async <T>(path: string, signal?: AbortSignal, headers: ApiRequest['headers'] = {}): Promise<T> =>
  (await send<T>({ path, signal, headers: { 'x-run-id': READS, ...headers } })).body

/** The entries of several reads in one request, in their order. @throws Problem where the request as a whole is refused */
export async function getAll(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly BundleEntry<FhirResource>[]> {
  const entry = paths.map((url) => ({ request: { method: 'GET' as const, url } }))
  const body: Bundle = { resourceType: 'Bundle', type: 'batch', entry }
  const { body: found } = await send<Bundle<FhirResource>>({
    method: 'POST',
    path: '',
    body,
    headers: { 'x-run-id': READS },
    signal,
  })
  return found.entry ?? []
}

/** The response, whatever its status, for callers that inspect it. @throws Problem where there is none */
export async function exchange(request: ApiRequest): Promise<ApiAnswer> {
  const response = await fetched(request)
  const text = await response.text()
  if (response.ok && !isRead(request)) heardChange(request.path)
  return { status: response.status, headers: response.headers, body: parsed(text), text }
}

/** Bytes, such as those of a document. @throws Problem */
export async function getBytes(request: ApiRequest): Promise<Blob> {
  const response = await fetched(request)
  if (!response.ok) throw problemOf(response.status, parsed(await response.text()))
  return response.blob()
}

/** The response before its body is read, for streams. @throws Problem where there is none */
export async function fetched(request: ApiRequest): Promise<Response> {
  const { headers = {}, body } = request
  // The routes of live calls have a secret of their own, and refuse a token.
  const isCall = 'x-voice-secret' in headers
  for (let isAgain = false; ; isAgain = true) {
    const token = isCall ? undefined : currentSession()?.token
    const response = await attempt(request, {
      accept: ACCEPT,
      ...(body === undefined ? {} : { 'content-type': contentTypeOf(body) }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    })
    // A server that refuses the renewed token too may rehearse that (docs/faults.md).
    if (response.status !== 401 || token === undefined || isAgain) return response
    await sessionAfter(token)
    // Signed out meanwhile.
    if (currentSession() === undefined) return response
  }
}

async function attempt(
  { method = 'GET', path, body, signal }: ApiRequest,
  headers: Record<string, string>,
): Promise<Response> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  try {
    const response = await fetch(addressOf(path), {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
      ...(signal === undefined ? {} : { signal }),
    })
    heardTime(response.headers.get('date'))
    heardFrom(response.status !== 502 && response.status !== 503)
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    heardFrom(false)
    throw unreachable()
  }
}

const contentTypeOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'resourceType' in body ? 'application/fhir+json' : 'application/json'

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
