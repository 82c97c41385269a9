/**
 * `POST /simulators/{insurance|crm|messages}`: the simulators as systems over HTTP, in demo mode, so that the demo runs the
 * same connectors as the systems of clinics. They keep nothing. docs/simulators.md
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { Webhook } from 'standardwebhooks'
import type { Config } from '../config.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { ownAddress, whenClosed } from '../http/connections.ts'
import { addressAt } from '../http/host-address.ts'
import { readBody, readJsonBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { jsonOf } from '../integrations/exchange.ts'
import { simulated } from '../integrations/simulators/insurance.ts'
import { simulatedAnswer, type WebhookSystem } from '../integrations/simulators/recipients.ts'
import { type ServedSimulators, simulatedWebhook } from '../integrations/simulators/served.ts'
import type { ConnectedSystem } from '../record/journal/exchange.ts'

const PATH = '/simulators'
/** Slow responses that may be pending. */
const MOST_WAITING = 200
/** Bytes of the body of a webhook. */
const MAX_WEBHOOK = 20_000

type Served = Pick<Config, 'demo' | 'webhookSecret'>

/** The address at which `server` serves the simulator; undefined where it does not, or does not listen. */
export function servedSimulator(
  server: Server,
  { demo, webhookSecret }: Served,
  system: ConnectedSystem,
): ReturnType<ServedSimulators> {
  const own = demo ? ownAddress(server) : undefined
  return (
    own && {
      url: `${addressAt(own.host, own.port)}${PATH}/${system}`,
      token: webhookSecret,
    }
  )
}

interface Reply {
  /** Absent: the connection ends without a response. */
  readonly status?: number
  readonly retryAfter?: number
  readonly body?: object
  readonly afterMs?: number
}

/** Reads a request and decides on the response. @throws FhirError 401, 400 */
type Simulator = (koa: KoaContext, secret: string) => Promise<Reply>

const insurance: Simulator = async (koa, secret) => {
  if (!timingSafeEqual(digest(koa.get('authorization')), digest(`Bearer ${secret}`)))
    throw unauthorized('authorization must hold "Bearer" and the webhook secret of this service')
  const { result, afterMs } = simulated(readMemberId(await readJsonBody(koa)))
  return { status: 200, body: result, afterMs }
}

const webhook =
  (system: WebhookSystem): Simulator =>
  async (koa, secret) => {
    const body = verified(koa, await readBody(koa, MAX_WEBHOOK), secret)
    const answer = simulatedAnswer(system, body)
    if (answer === undefined) throw badRequest(NO_EVENT)
    const { status = 0 } = answer
    return { ...answer, ...(status >= 400 ? { body: { error: 'The simulator responds so for this recipient' } } : {}) }
  }

const NO_EVENT =
  'The body must be an event of this system: "type" and "data", of a message with channel (sms or email), to and text'

const SIMULATORS: Readonly<Record<ConnectedSystem, Simulator>> = {
  insurance,
  crm: webhook('crm'),
  messages: webhook('messages'),
}

export function simulatorRoutes({ config: { demo, webhookSecret } }: { readonly config: Served }): SideRouter {
  const router = new Router()
  let waiting = 0
  const delay = async (afterMs: number, koa: KoaContext): Promise<void> => {
    if (waiting >= MOST_WAITING) throw tooMany()
    waiting++
    await waitFor(afterMs, koa).finally(() => waiting--)
  }
  for (const [system, simulator] of demo ? Object.entries(SIMULATORS) : [])
    router.post(`${PATH}/${system}`, async (koa) => {
      const { afterMs = 0, ...reply } = await simulator(koa, webhookSecret)
      if (afterMs > 0) await delay(afterMs, koa)
      send(koa, reply)
    })
  return sideRouter(['simulators'], router)
}

function send(koa: KoaContext, { status, retryAfter, body }: Reply): void {
  if (status === undefined) {
    koa.req.socket.destroy()
    return
  }
  koa.status = status
  if (body !== undefined) koa.body = body
  if (retryAfter !== undefined) koa.set('retry-after', String(retryAfter))
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/** The JSON of a signed webhook. @throws FhirError 401 */
function verified(koa: KoaContext, body: string, token: string): unknown {
  const { secret = '' } = simulatedWebhook({ url: '', token })
  const headers = Object.fromEntries(SIGNED.map((name) => [name, koa.get(name)]))
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false })
  } catch {
    throw unauthorized(`${SIGNED.join(', ')} must sign this body with the webhook secret of this service`)
  }
  return jsonOf(body)
}

const SIGNED = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

function readMemberId(body: unknown): string {
  const memberId = isObject(body) ? body.memberId : undefined
  if (typeof memberId === 'string') return memberId
  throw badRequest('The body must be a JSON object with a text as memberId')
}

/** @param what must be in the headers */
const unauthorized = (what: string): FhirError =>
  new FhirError(401, { code: 'login', diagnostics: `The header ${what}` })

const tooMany = (): FhirError =>
  new FhirError(503, { code: 'throttled', diagnostics: 'Too many slow responses are under way; ask again later' })

/** Ends early where the client disconnects. */
const waitFor = (milliseconds: number, { res }: KoaContext): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    whenClosed(res, () => {
      clearTimeout(timer)
      resolve()
    })
  })
