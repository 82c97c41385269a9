/**
 * Header fields: how they are read, those that every response has, and the ids of a request. X-Request-Id is assigned by
 * this server, X-Correlation-Id is given by the client (https://hl7.org/fhir/R4/http.html#custom), X-Run-Id names the
 * test run that a request belongs to, x-call-id the live call.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Context as KoaContext, Middleware } from 'koa'
import { badRequest } from '../fhir/outcome.ts'

/** By its name in lower case; undefined when it is missing or empty. Node joins one that came several times. */
export function headerOf({ req }: Pick<KoaContext, 'req'>, name: string): string | undefined {
  const value = req.headers[name]
  return typeof value === 'string' && value !== '' ? decodedHeader(value) : undefined
}

/** Node reads the bytes of a header as Latin-1. Those that are valid UTF-8 are what curl, for instance, sends of text as it was typed. */
function decodedHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

/**
 * A body is what its Content-Type says (https://fetch.spec.whatwg.org/#x-content-type-options-header), and no cache keeps
 * what may be about a patient. A client that has kept a version itself may still ask, by its ETag, whether it is the
 * current one.
 */
export const DEFAULT_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
]

export const withDefaultHeaders =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    for (const [name, value] of DEFAULT_HEADERS) response.setHeader(name, value)
    setRequestIds(request, response)
    listener(request, response)
  }

export const REQUEST_ID = 'X-Request-Id'
const CORRELATION_ID = 'X-Correlation-Id'

/** The form of an accepted id: it is sent back in a header. */
const ID = /^[\x21-\x7e]{1,128}$/

function setRequestIds({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader(REQUEST_ID, randomUUID())
  const given = headers['x-request-id'] ?? headers['x-correlation-id']
  if (given !== undefined && typeof given === 'string' && ID.test(given)) response.setHeader(CORRELATION_ID, given)
}

type Sent = Pick<KoaContext, 'res'>
type Received = Pick<KoaContext, 'req'>

export const requestIdOf = ({ res }: Sent): string => String(res.getHeader(REQUEST_ID) ?? '')

export function correlationOf({ res }: Sent): string | undefined {
  const id = res.getHeader(CORRELATION_ID)
  return id === undefined ? undefined : String(id)
}

/** Undefined where it is missing or malformed. */
export const runOf = (koa: Received): string | undefined => idIn(koa, 'x-run-id')
export const callIdOf = (koa: Received): string | undefined => idIn(koa, 'x-call-id')
export const replayedIn = (koa: Received): string | undefined => idIn(koa, 'x-replay-of')

function idIn({ req }: Received, header: string): string | undefined {
  const id = req.headers[header]
  return typeof id === 'string' && ID.test(id) ? id : undefined
}

/**
 * Refuses requests that name two hosts (https://www.rfc-editor.org/rfc/rfc9112#section-3.2): a proxy and this server could
 * each take another one for the host.
 * @throws FhirError 400
 */
export const oneHost: Middleware = (koa, next) => {
  const { rawHeaders } = koa.req
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw badRequest('The request has several Host headers; send one')
  return next()
}
