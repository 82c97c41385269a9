/**
 * `/resume/{token}`, to which resume links lead. GET says nothing of anybody and changes nothing, as previews of links do
 * it too; POST gives, once, what was filled in so far. docs/abandonment.md
 */
import { Router } from '@koa/router'
import { redeemLink } from '../calls/recovery/redeem-link.ts'
import { RESUME_LINK, tokenKey } from '../calls/recovery/resume-link.ts'
import { isSandboxEnabled } from '../clinics/clinics.ts'
import type { Agent, ClinicAccess } from '../core/context.ts'
import { FhirError } from '../fhir/outcome.ts'
import { exchangeOf, tellSecrets } from '../http/exchange.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'

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
