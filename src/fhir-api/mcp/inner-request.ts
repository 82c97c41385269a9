/**
 * A FHIR request within another request: it goes the way of any other, for the same user and clinic, in the same exchange, and
 * is paid from the same budget.
 */
import Koa, { type Context as KoaContext, type Middleware } from 'koa'
import inject from 'light-my-request'
import { writeJson } from '../../fhir/json.ts'
import { present } from '../../fhir/resource.ts'
import { type RequestState, stateOf } from '../../http/exchange.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'

export interface InnerRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Path and query. */
  readonly url: string
  /** A resource. */
  readonly body?: unknown
  /** By their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The body of the response to a request that succeeds, as JSON.
 * @param koa the request around it
 * @param serve the FHIR routes
 * @throws what `serve` throws
 */
export async function innerAnswer(
  koa: KoaContext,
  serve: Middleware,
  { method, url, body, headers }: InnerRequest,
): Promise<string> {
  const failures: unknown[] = []
  const inner = new Koa().use(async (within) => {
    Object.assign(within.state, sharedState(koa))
    try {
      await serve(within, async () => {})
    } catch (error) {
      failures.push(error)
    }
  })
  const answer = inner.callback()
  const { payload } = await inject(
    (request, response) => {
      // A Binary is read in the pieces in which it arrives, and asks whether all have arrived.
      void answer(Object.assign(request, { complete: true }), response)
    },
    {
      method,
      url,
      headers: { ...addressOf(koa), ...FHIR_JSON, ...headers },
      remoteAddress: koa.req.socket.remoteAddress ?? '',
      ...(body === undefined ? {} : { payload: writeJson(body) }),
    },
  )
  if (failures.length > 0) throw failures[0]
  // Nothing was read from a socket, so the loop has had no pause: without one, all calls of a flood would go on at once.
  await yieldToEventLoop()
  return payload
}

const FHIR_JSON = { accept: 'application/fhir+json', 'content-type': 'application/fhir+json' }

/** The state that the stages before the FHIR routes have set. */
function sharedState(koa: KoaContext): RequestState {
  const { exchange, holder, claims, user, session, clinic } = stateOf(koa)
  return present({ exchange, holder, claims, user, session, clinic })
}

/** The headers that say at which address the client sees this server. */
const addressOf = ({ req: { headers } }: KoaContext): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && (name === 'host' || name.startsWith('x-forwarded-')) ? [[name, value]] : [],
    ),
  )
