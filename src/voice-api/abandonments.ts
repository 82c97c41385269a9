/**
 * The routes of abandonments, docs/abandonment.md: `POST /abandonments`, with a token, for its clinic, or with the voice secret,
 * for that of `x-call-to`; and `/resume/{token}`, to which resume links lead, where GET says nothing of anybody and changes
 * nothing, as previews of links do it too, and POST gives, once, what was filled in so far.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { enterAbandonment, readAbandonment } from '../calls/recovery/create-abandonment.ts'
import { RESUME_LINK, redeemLink, tokenKey } from '../calls/recovery/resume-link.ts'
import { findDialedNumber, requireFilledIn } from '../calls/session/call-metadata.ts'
import { requireClinicCheck } from '../calls/session/signed-request.ts'
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { readSettings } from '../clinics/settings.ts'
import type { Config } from '../config.ts'
import type { Agent, ClinicAccess } from '../core/context.ts'
import { DEMO_CLINIC } from '../demo/demo-clinic.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { forbidden, requireClinic } from '../http/authenticate.ts'
import { exchangeOf, tellSecrets, userOf } from '../http/exchange.ts'
import { readJsonBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { localeOf } from '../spoken/stated-values.ts'
import { receivedRequest, requestKeyOf, requireSecret } from './platform-request.ts'

interface AbandonmentDependencies {
  readonly config: Pick<Config, 'webhookSecret' | 'previousWebhookSecret' | 'demo'>
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
    const { clinic, sub: id, name, role } = userOf(koa)
    if (clinic === '') throw forbidden('Your account belongs to no clinic; log in with an account of the clinic')
    return access(clinic, { kind: 'user', id, name, role })
  }

  router.post('/abandonments', async (koa) => {
    const isPlatform = koa.get('x-voice-secret') !== ''
    const ofClinic = await (isPlatform ? bySecret(koa) : byToken(koa))
    const { clinic } = ofClinic
    tellEntered(koa, ofClinic)
    if (!(await isSandboxEnabled(repository, clinic))) throw forbidden('The sandbox of this clinic is turned off')
    const key = requestKeyOf(koa) ?? undefined
    const body = await readJsonBody(koa, LIMITS)
    if (isPlatform) {
      const received = receivedRequest(koa, LIMITS.bodyBytes, { isRepeatable: key !== undefined })
      await requireClinicCheck(repository, clinic, received)
    }
    const locale = localeOf(await readSettings(repository, clinic), ofClinic.reader().now)
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

interface ResumeDependencies {
  readonly repository: Repository
  readonly access: (clinic: string, agent: Agent) => ClinicAccess
}

/** The same whatever the token is. */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="robots" content="noindex">
<title>Continue</title><form method="post"><button>Continue where you left off</button></form></html>`

export function resumeRoutes({ repository, access }: ResumeDependencies): SideRouter {
  const router = new Router()
  router.get('/resume/:token', (koa) => {
    tellSecrets(koa, koa.params.token)
    koa.set('Referrer-Policy', 'no-referrer')
    koa.set('Content-Security-Policy', "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
    koa.type = 'text/html; charset=utf-8'
    koa.body = PAGE
  })

  router.post('/resume/:token', async (koa) => {
    const { token } = koa.params
    tellSecrets(koa, token)
    const isToken = typeof token === 'string' && /^[\w-]{32}$/.test(token)
    const link = isToken ? await repository.readRecord(SERVICE, RESUME_LINK, tokenKey(token)) : undefined
    const clinic = link?.value.clinic
    if (token === undefined || clinic === undefined || !(await isSandboxEnabled(repository, clinic))) throw notValid()
    const redeemed = await access(clinic, { kind: 'server' }).change((ctx) => redeemLink(ctx, token))
    if (redeemed === undefined) throw notValid()
    const by = { clinic, agent: { kind: 'unknown' } } as const
    const seen = {
      ...NO_SUBJECT,
      interaction: 'tool',
      detail: 'resume',
      status: 200,
      patients: [redeemed.patient],
      by,
    } as const
    exchangeOf(koa).accesses = [seen]
    koa.set('Referrer-Policy', 'no-referrer')
    koa.body = redeemed.resumed
  })
  return sideRouter(['resume'], router)
}

/** The same for every reason, so that tokens cannot be told apart. */
const notValid = (): FhirError =>
  new FhirError(404, {
    code: 'not-found',
    reason: 'link-not-valid',
    diagnostics: 'The link is not valid: it has been used, has ended, or never was one; ask the clinic for another one',
  })
