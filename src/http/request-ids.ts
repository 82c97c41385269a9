/**
 * The ids of a request: X-Request-Id is assigned by this server, X-Correlation-Id is given by the client
 * (https://hl7.org/fhir/R4/http.html#custom). X-Run-Id names the test run that it belongs to, x-call-id the live call.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context as KoaContext } from 'koa'

export const REQUEST_ID = 'X-Request-Id'
const CORRELATION_ID = 'X-Correlation-Id'

/** The form of an accepted id: it is sent back in a header. */
const ID = /^[\x21-\x7e]{1,128}$/

export function setRequestIds({ headers }: IncomingMessage, response: ServerResponse): void {
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
