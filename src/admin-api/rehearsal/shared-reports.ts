/**
 * `/shared-reports/{token}`, to which shared links lead: the report of a run, for everybody who has the link; as HTML, or with the
 * suffix of another form. docs/reports.md#share
 */
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { isSandboxEnabled } from '../../clinics/clinics.ts'
import { isLinkToken } from '../../clinics/link-token.ts'
import { clinicExists } from '../../clinics/settings.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { exchangeOf, tellSecrets } from '../../http/exchange.ts'
import { PLAIN_POLICY, plainPage } from '../../http/html.ts'
import { type SideRouter, sideRouter } from '../../http/side-router.ts'
import { NO_SUBJECT } from '../../record/audit/event.ts'
import { findShared, SHARED_REPORTS } from '../../rehearsal/reports/shared-links.ts'
import type { RunReport } from '../../rehearsal/runs/run.ts'
import { FORMATS, sendReport } from './report-formats.ts'
import type { ReportDependencies } from './reports.ts'

type SharedDependencies = Pick<ReportDependencies, 'repository' | 'runs'>

/**
 * Needs no authentication; requests count for the address of their client.
 * @param services absent: rehearsals are off
 */
export function sharedReportRoutes(services: SharedDependencies | undefined): SideRouter {
  const router = new Router()
  if (services !== undefined) {
    for (const format of FORMATS.filter((one) => one !== 'html')) {
      router.get(`/${SHARED_REPORTS}/:token.${format}`, async (koa) => {
        const report = await sharedReport(koa, services)
        if (report === undefined) throw notValid()
        sendReport(koa, format, report)
      })
    }
    router.get(`/${SHARED_REPORTS}/:token`, async (koa) => {
      const report = await sharedReport(koa, services)
      if (report === undefined) showNotValid(koa)
      else sendReport(koa, 'html', report)
    })
  }
  return sideRouter([SHARED_REPORTS], router)
}

/** The report of a link; undefined for one that is none, for a clone that has ended, and where the sandbox is off. */
async function sharedReport(koa: KoaContext, { repository, runs }: SharedDependencies): Promise<RunReport | undefined> {
  const { token = '' } = koa.params
  tellSecrets(koa, token)
  koa.set({ 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' })
  const shared = isLinkToken(token) ? await findShared(repository, token) : undefined
  if (shared === undefined || !(await clinicExists(repository, shared.clinic))) return undefined
  if (!(await isSandboxEnabled(repository, shared.clinic))) return undefined
  tellRead(koa, shared.clinic)
  try {
    return (await runs.find(shared.clinic, shared.run)).report
  } catch (error) {
    // Runs that are old make room for others.
    if (error instanceof FhirError && error.status === 404) return undefined
    throw error
  }
}

/** The agent is unknown: a link can be opened by everybody who has it. */
function tellRead(koa: KoaContext, clinic: string): void {
  const by = { clinic, agent: { kind: 'unknown' } } as const
  exchangeOf(koa).accesses = [{ ...NO_SUBJECT, interaction: 'operation', detail: 'read shared report', by }]
}

const REASONS = 'It has ended, or never was one. Please ask for another one.'

/** The same for every reason, so that tokens cannot be told apart. */
function showNotValid(koa: KoaContext): void {
  koa.status = 404
  koa.set('Content-Security-Policy', PLAIN_POLICY)
  koa.type = 'text/html; charset=utf-8'
  koa.body = plainPage({ title: 'This link is not valid', body: `<p>${REASONS}</p>` })
}

const notValid = (): FhirError =>
  new FhirError(404, {
    code: 'not-found',
    reason: 'link-not-valid',
    diagnostics: `The link is not valid. ${REASONS}`,
  })
