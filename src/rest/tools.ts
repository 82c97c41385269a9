/**
 * The live-call routes (spec 4.1): `POST /{family}/:toolName` and `POST /calls`, behind the shared secret (spec 5).
 * Platforms ignore any status but 200, so with a valid secret and a readable body every problem is reported in the
 * results.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import { bodyMetadata, readEnvelope, writeEnvelope } from '../calls/envelope.ts'
import { readRegistration } from '../calls/session/call-registration.ts'
import { type CallMetadata, CallSessions } from '../calls/session/call-sessions.ts'
import type { ToolFamilies } from '../calls/tool.ts'
import { registerTools } from '../calls/tool-registry.ts'
import { type EndedCall, ToolRunner, type ToolServices } from '../calls/tool-runner.ts'
import type { Config } from '../config.ts'
import type { Provider } from '../core/provider.ts'
import { DEMO_CLINIC } from '../demo/demo-clinic.ts'
import { accessByCall, registrationOf } from './call-access.ts'
import { readJsonBody } from './message/body.ts'
import { type ExchangeAccess, exchangeOf } from './server/exchange.ts'
import type { FairShares } from './server/fair-shares.ts'
import { failureOf } from './server/fault.ts'
import { type SmallRouter, smallRouter } from './server/small-router.ts'
import { requireSecret } from './voice-secret.ts'

export interface ToolDependencies extends Omit<ToolServices, 'failureOf'> {
  readonly logger: Logger
  readonly config: Pick<Config, 'webhookSecret' | 'demo' | 'trustBodyCallMetadata' | 'limits'>
  readonly families: ToolFamilies
  readonly shares: FairShares | undefined
  /** They declare the operations behind the tools. */
  readonly providers: ReadonlyMap<string, Provider>
  /** First path segments that other routes answer for; no family may have such a name. */
  readonly reserved: ReadonlySet<string>
}

/** The path segment of the registration of calls, beside the tool families. */
export const CALLS = 'calls'

/** @throws Error naming a family or a tool that is defined wrongly; it stops the start. */
export function toolRoutes(dependencies: ToolDependencies): SmallRouter {
  const { config, providers, reserved, logger, shares, ...services } = dependencies
  const families = registerTools(dependencies.families, providers, reserved)
  const sessions = new CallSessions(services.repository, config.demo ? DEMO_CLINIC : undefined)
  const runner = new ToolRunner(families, {
    ...services,
    failureOf: (error, tool) => failureOf(error, logger, { method: 'POST', route: tool }),
  })
  const router = new Router()
  const secret = requireSecret(config.webhookSecret)

  for (const family of families.keys()) {
    router.post(`/${family}/:toolName`, secret, async (koa) => {
      const body = await readJsonBody(koa, config.limits)
      const envelope = readEnvelope(body)
      const identify = async () => {
        const session = await sessions.identify(metadataOf(koa, config.trustBodyCallMetadata ? body : undefined))
        shares?.countFor(koa, session.clinic)
        return session
      }
      const onEnd = (ended: EndedCall) => addAccess(koa, accessByCall(ended))
      const results = await runner.run({ family, toolName: koa.params.toolName ?? '' }, envelope, identify, onEnd)
      koa.body = writeEnvelope(results, envelope.error)
    })
  }

  router.post(`/${CALLS}`, secret, async (koa) => {
    const { session, created } = await sessions.register(readRegistration(await readJsonBody(koa, config.limits)))
    addAccess(koa, registrationOf(session))
    koa.status = created ? 201 : 200
    koa.body = session
  })
  return smallRouter([CALLS, ...families.keys()], router)
}

function addAccess(koa: KoaContext, access: ExchangeAccess): void {
  const exchange = exchangeOf(koa)
  exchange.accesses = [...exchange.accesses, access]
}

/** From the headers, and from `body` where it is given; headers win. */
function metadataOf(koa: KoaContext, body: unknown): CallMetadata {
  const inBody = bodyMetadata(body)
  return {
    ...field('callId', koa.get('x-call-id') || inBody.callId),
    ...field('dialedNumber', koa.get('x-call-to') || inBody.dialedNumber),
    ...field('callerNumber', koa.get('x-call-from') || inBody.callerNumber),
  }
}

const field = (name: keyof CallMetadata, value: unknown): CallMetadata =>
  typeof value === 'string' && value.trim() !== '' ? { [name]: value.trim() } : {}
