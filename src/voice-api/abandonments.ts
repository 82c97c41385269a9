/**
 * The routes of abandonments, docs/abandonment.md: `POST /abandonments`, with a token, for its clinic, or with the voice secret,
 * for that of `x-call-to`.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { enterAbandonment, readAbandonment } from '../calls/recovery/create-abandonment.ts'
import { findDialedNumber, requireFilledIn } from '../calls/session/call-metadata.ts'
import { requireClinicCheck } from '../calls/session/signed-request.ts'
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { readSettings } from '../clinics/settings.ts'
import type { Config } from '../config.ts'
import type { Agent, ClinicAccess } from '../core/context.ts'
import { DEMO_CLINIC } from '../demo/demo-clinic.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { forbidden, requireClinic } from '../http/authenticate.ts'
import { exchangeOf, userAgentOf, userOf } from '../http/exchange.ts'
import { callIdOf } from '../http/headers.ts'
import { readJsonBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import type { Repository } from '../repository/repository.ts'
import { localeOf } from '../spoken/stated-values.ts'
import { joinRunOfCall, receivedRequest, requestKeyOf, requireSecret } from './platform-request.ts'

interface AbandonmentDependencies {
  readonly config: Pick<Config, 'webhookSecret' | 'previousWebhookSecret' | 'demo' | 'rehearsal'>
  readonly repository: Repository
  readonly access: (clinic: string, agent: Agent) => ClinicAccess
  readonly authenticate: Middleware
}

const LIMITS = { bodyBytes: 100_000, jsonDepth: 4 }

export function abandonmentRoutes({ config, repository, access, authenticate }: AbandonmentDependencies): SideRouter {
  const router = new Router()
  const secret = requireSecret(config)
  const isClinic = requireClinic(repository)

  const bySecret = async (koa: KoaContext): Promise<ClinicAccess> => {
    await secret(koa, async () => {})
    const dialed = koa.get('x-call-to').trim()
    requireFilledIn({ dialedNumber: dialed })
    const clinic = dialed === '' && config.demo ? DEMO_CLINIC : (await findDialedNumber(repository, dialed))?.clinic
    if (clinic !== undefined) return access(clinic, { kind: 'server' })
    throw unprocessable('x-call-to must hold a number of the clinic, in E.164, as its settings list it', {
      reason: 'number-not-known',
    })
  }

  const byToken = async (koa: KoaContext): Promise<ClinicAccess> => {
    await authenticate(koa, async () => {})
    await isClinic(koa, async () => {})
    const { clinic } = userOf(koa)
    if (clinic === '') throw forbidden('Your account belongs to no clinic; log in with an account of the clinic')
    return access(clinic, userAgentOf(koa))
  }

  router.post('/abandonments', async (koa) => {
    const isPlatform = koa.get('x-voice-secret') !== ''
    const ofClinic = await (isPlatform ? bySecret(koa) : byToken(koa))
    const { clinic } = ofClinic
    tellEntered(koa, ofClinic)
    await joinRunOfCall(koa, { repository, config }, { clinic, callId: callIdOf(koa) })
    if (!(await isSandboxEnabled(repository, clinic))) throw forbidden('The sandbox of this clinic is turned off')
    const key = requestKeyOf(koa) ?? undefined
    const body = await readJsonBody(koa, LIMITS)
    if (isPlatform) {
      const received = receivedRequest(koa, LIMITS.bodyBytes, { isRepeatable: key !== undefined })
      await requireClinicCheck(repository, clinic, received)
    }
    const locale = localeOf(await readSettings(repository, clinic), (await ofClinic.reader()).now)
    const input = readAbandonment(body, locale)
    const { id, created, patient } = await ofClinic.change((ctx) => enterAbandonment(ctx, input, key))
    tellEntered(koa, ofClinic, patient)
    koa.status = created ? 201 : 200
    koa.body = { id }
  })
  return sideRouter(['abandonments'], router)
}

/** The agent is the user of a token; with the secret it is the form or the platform, whose user is unknown. */
function tellEntered(koa: KoaContext, { clinic, agent }: ClinicAccess, patient?: string): void {
  const by = { clinic, agent: agent.kind === 'user' ? agent : UNKNOWN }
  const patients = patient === undefined ? [] : [patient]
  exchangeOf(koa).accesses = [{ ...NO_SUBJECT, interaction: 'operation', detail: 'abandonment', patients, by }]
}

const UNKNOWN = { kind: 'unknown' } as const
