/**
 * `/resume/{token}`, to which resume links lead: GET says nothing of anybody and changes nothing, as previews of links do it too,
 * and POST gives, once, what was filled in so far; to a browser it gives a form, `/resume/{token of the form}/form`, in which
 * the person goes on. docs/abandonment.md#resume-links
 */
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { openedForm, RESUME_LINK, redeemForForm, redeemLink } from '../calls/recovery/resume-link.ts'
import { saveRecoveryField } from '../calls/tools/recovery-fields.ts'
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { isLinkToken, linkTokenKey } from '../clinics/link-token.ts'
import { readSettings } from '../clinics/settings.ts'
import type { Agent, ClinicAccess } from '../core/context.ts'
import type { Integrations } from '../core/ports.ts'
import { FhirError } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { exchangeOf, tellSecrets } from '../http/exchange.ts'
import { PLAIN_POLICY, type PlainPage, plainPage } from '../http/html.ts'
import { readBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { formPage, NOT_VALID, type RefusedValue, START } from './resume-pages.ts'

interface ResumeDependencies {
  readonly repository: Repository
  readonly access: (clinic: string, agent: Agent) => ClinicAccess
  readonly integrations: Integrations
}

/** Bytes of a form that is sent. */
const MAX_FORM = 100_000

export function resumeRoutes({ repository, access, integrations }: ResumeDependencies): SideRouter {
  const router = new Router()

  /** The link or form of a request; undefined for one that is none, and where the sandbox is off. */
  const linkOf = async (koa: KoaContext): Promise<Link> => {
    const { token = '' } = koa.params
    tellSecrets(koa, token)
    const link = isLinkToken(token) ? await repository.readRecord(SERVICE, RESUME_LINK, linkTokenKey(token)) : undefined
    const clinic = link?.value.clinic
    if (clinic === undefined || !(await isSandboxEnabled(repository, clinic))) return undefined
    return { token, of: access(clinic, { kind: 'server' }) }
  }

  router.get('/resume/:token', (koa) => {
    tellSecrets(koa, koa.params.token)
    show(koa, 200, START)
  })

  router.post('/resume/:token', async (koa) => {
    const link = await linkOf(koa)
    if (koa.accepts('json', 'html') === 'html') return await openForm(koa, link)
    const redeemed = await link?.of.change((ctx) => redeemLink(ctx, link.token))
    if (link === undefined || redeemed === undefined) throw notValid()
    tellResumed(koa, link.of, redeemed.patient)
    koa.set('Referrer-Policy', 'no-referrer')
    koa.body = redeemed.resumed
  })

  router.get('/resume/:token/form', async (koa) => showForm(koa, await linkOf(koa)))

  router.post('/resume/:token/form', async (koa) => {
    const link = await linkOf(koa)
    const form = link && (await openedForm(await link.of.reader(), link.token))
    if (link === undefined || form === undefined) return show(koa, 404, NOT_VALID)
    const sent = await readForm(koa)
    const refused: Record<string, RefusedValue> = {}
    // Only what is missing: a value that is there is corrected by the clinic.
    for (const name of form.missing) {
      const value = sent.get(name)?.trim() ?? ''
      const error = value === '' ? undefined : await save(link.of, form.abandonment.task.id, name, value)
      if (error !== undefined) refused[name] = { value, error }
    }
    if (Object.keys(refused).length > 0) return await showForm(koa, link, refused)
    tellResumed(koa, link.of, form.abandonment.patient)
    redirect(koa, 'form')
  })

  /** @returns the reason why the value could not be saved */
  const save = async (of: ClinicAccess, id: string, fieldName: string, value: string): Promise<string | undefined> => {
    try {
      const answer = await saveRecoveryField.handler({
        access: of,
        type: 'Task',
        id,
        input: { fieldName, value },
        integrations,
      })
      return isObject(answer) && answer.success === false ? String(answer.error).replace(NAMED, '') : undefined
    } catch (error) {
      if (!(error instanceof FhirError) || error.status >= 500) throw error
      return error.message.replace(NAMED, '')
    }
  }
  return sideRouter(['resume'], router)
}

/** The name of the argument before a reason. */
const NAMED = /^\w+: /

type Link = { readonly token: string; readonly of: ClinicAccess } | undefined

async function openForm(koa: KoaContext, link: Link): Promise<void> {
  const opened = await link?.of.change((ctx) => redeemForForm(ctx, link.token))
  if (link === undefined || opened === undefined) return show(koa, 404, NOT_VALID)
  tellSecrets(koa, opened.form)
  tellResumed(koa, link.of, opened.patient)
  redirect(koa, `${opened.form}/form`)
}

async function showForm(
  koa: KoaContext,
  link: Link,
  refused: Readonly<Record<string, RefusedValue>> = {},
): Promise<void> {
  if (link === undefined) return show(koa, 404, NOT_VALID)
  const ctx = await link.of.reader()
  const form = await openedForm(ctx, link.token)
  if (form === undefined) return show(koa, 404, NOT_VALID)
  const { abandonment, known, missing } = form
  const { name } = await readSettings(ctx.unit, ctx.clinic)
  tellResumed(koa, ctx, abandonment.patient)
  const status = Object.keys(refused).length > 0 ? 422 : 200
  show(koa, status, formPage({ clinic: name, kind: abandonment.kind, known, missing, refused }))
}

/** @throws FhirError 413, 415 */
async function readForm(koa: KoaContext): Promise<URLSearchParams> {
  if (koa.is('urlencoded') !== 'urlencoded')
    throw new FhirError(415, {
      code: 'not-supported',
      diagnostics: 'The body must be a form, application/x-www-form-urlencoded',
    })
  return new URLSearchParams(await readBody(koa, MAX_FORM))
}

function show(koa: KoaContext, status: number, page: PlainPage): void {
  guard(koa)
  koa.set('Content-Security-Policy', PLAIN_POLICY)
  koa.status = status
  koa.type = 'text/html; charset=utf-8'
  koa.body = plainPage(page)
}

/** @param to relative, so that it holds behind a proxy that adds a path */
function redirect(koa: KoaContext, to: string): void {
  guard(koa)
  koa.status = 303
  koa.set('location', to)
  koa.body = ''
}

function guard(koa: KoaContext): void {
  koa.set('Referrer-Policy', 'no-referrer')
  koa.set('Cache-Control', 'no-store')
}

/** The agent is unknown: a link can be opened by everybody who has it. */
function tellResumed(koa: KoaContext, { clinic }: Pick<ClinicAccess, 'clinic'>, patient: string): void {
  const by = { clinic, agent: { kind: 'unknown' } } as const
  exchangeOf(koa).accesses = [
    { ...NO_SUBJECT, interaction: 'tool', detail: 'resume', status: 200, patients: [patient], by },
  ]
}

/** The same for every reason, so that tokens cannot be told apart. */
const notValid = (): FhirError =>
  new FhirError(404, {
    code: 'not-found',
    reason: 'link-not-valid',
    diagnostics: 'The link is not valid: it has been used, has ended, or never was one; ask the clinic for another one',
  })
