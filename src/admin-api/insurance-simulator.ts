/**
 * `POST /simulators/insurance`: the simulator as a verification system over HTTP, in demo mode, so that the demo runs
 * the same connector as the systems of clinics. It keeps nothing. docs/insurance-simulator.md
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Config } from '../config.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { ownAddress, whenClosed } from '../http/connections.ts'
import { readJsonBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { simulated } from '../integrations/insurance.ts'

const PATH = '/simulators/insurance'
/** Slow responses that may be pending. */
const MOST_WAITING = 200

type Served = Pick<Config, 'demo' | 'webhookSecret'>

/** The address at which `server` serves the simulator; undefined where it does not, or does not listen. */
export function simulatorOf(
  server: Server,
  { demo, webhookSecret }: Served,
): { readonly url: string; readonly token: string } | undefined {
  const own = demo ? ownAddress(server) : undefined
  return (
    own && {
      url: `http://${own.host.includes(':') ? `[${own.host}]` : own.host}:${own.port}${PATH}`,
      token: webhookSecret,
    }
  )
}

export function insuranceSimulatorRoutes({ config: { demo, webhookSecret } }: { readonly config: Served }): SideRouter {
  const router = new Router()
  const expected = digest(`Bearer ${webhookSecret}`)
  let waiting = 0
  if (demo) {
    router.post(PATH, async (koa) => {
      if (!timingSafeEqual(digest(koa.get('authorization')), expected)) throw unauthorized()
      const { result, afterMs } = simulated(readMemberId(await readJsonBody(koa)))
      if (afterMs > 0) {
        if (waiting >= MOST_WAITING) throw tooMany()
        waiting++
        await waitFor(afterMs, koa).finally(() => waiting--)
      }
      koa.body = result
    })
  }
  return sideRouter(['simulators'], router)
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

function readMemberId(body: unknown): string {
  const memberId = isObject(body) ? body.memberId : undefined
  if (typeof memberId === 'string') return memberId
  throw badRequest('The body must be a JSON object with a text as memberId')
}

const unauthorized = (): FhirError =>
  new FhirError(401, {
    code: 'login',
    diagnostics: 'The header authorization must hold "Bearer" and the webhook secret of this service',
  })

const tooMany = (): FhirError =>
  new FhirError(503, { code: 'throttled', diagnostics: 'Too many slow answers are under way; ask again later' })

/** Ends early where the client disconnects. */
const waitFor = (milliseconds: number, { res }: KoaContext): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    whenClosed(res, () => {
      clearTimeout(timer)
      resolve()
    })
  })
