/**
 * Reports of runs: GET /clinics/{id}/runs/{run}.html|.xml|.md|.json, GET|POST …/{run}/capability, POST|DELETE …/{run}/share. The
 * clinic's staff read them; its admins and operators share them. docs/reports.md
 */
import type { Router } from '@koa/router'
import type { CapabilityStatement } from 'fhir/r4'
import type { Context as KoaContext } from 'koa'
import { instantOf } from '../../fhir/dates.ts'
import { badRequest, conflict } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { tellSecrets } from '../../http/exchange.ts'
import { readJsonBody } from '../../http/message/body.ts'
import { exchangePage } from '../../rehearsal/reports/addresses.ts'
import { clientStatementOf } from '../../rehearsal/reports/client-statement.ts'
import { differences, type Statement } from '../../rehearsal/reports/differences.ts'
import { SHARED_REPORTS, stageEndOfLinks, stageLink } from '../../rehearsal/reports/shared-links.ts'
import type { FoundRun, Runs } from '../../rehearsal/runs/runs.ts'
import { narrowed } from '../../rehearsal/strictness/narrowed.ts'
import type { StrictnessProfiles } from '../../rehearsal/strictness/profiles.ts'
import type { Repository } from '../../repository/repository.ts'
import { readTtl } from '../ttl.ts'
import { rehearsedClinic } from './rehearsed-clinic.ts'
import { FORMATS, sendReport } from './report-formats.ts'

export interface ReportDependencies {
  readonly repository: Repository
  readonly runs: Pick<Runs, 'find'>
  readonly baseOf: (koa: KoaContext) => string
  /** The server's own. */
  readonly statement: CapabilityStatement
  readonly strictness: Pick<StrictnessProfiles, 'named'>
}

const ONE = '/:clinic/runs/:run'

/** Bytes of a CapabilityStatement: that of this server, which is a long one, has 800,000. */
const STATEMENT = { bodyBytes: 2_000_000, jsonDepth: 32 }
const SHARE = { bodyBytes: 1_000, jsonDepth: 4 }
/** How long a link lasts. */
const LASTS = { usual: 'P7D', least: 'PT1H', most: 'P30D' }

/**
 * Adds the routes; before those of runs, as the id of a run would be taken to include a suffix.
 * @param router of the clinics
 */
export function addReportRoutes(router: Router, services: ReportDependencies): void {
  const { repository, runs } = services

  const found = async (koa: KoaContext): Promise<FoundRun> => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read report' })
    return await runs.find(clinic, koa.params.run ?? '')
  }

  for (const format of FORMATS) {
    router.get(`${ONE}.${format}`, async (koa) => sendReport(koa, format, (await found(koa)).report, exchangePage))
  }

  router.get(`${ONE}/capability`, async (koa) => {
    const { report } = await found(koa)
    const { against } = koa.query
    koa.body =
      against === undefined
        ? clientStatementOf(report.observed, report)
        : differences(report.observed, offered(services, against))
  })

  router.post(`${ONE}/capability`, async (koa) => {
    const { record, report } = await found(koa)
    // The body may be read in a work thread, which has no journal to make the report of an open run from.
    if (record.status === 'open')
      throw conflict('The run is open; compare it with a CapabilityStatement when it is finished')
    koa.body = differences(report.observed, readStatement(await readJsonBody(koa, STATEMENT)))
  })

  addShareRoutes(router, services)
}

function addShareRoutes(router: Router, { repository, runs, baseOf }: ReportDependencies): void {
  router.post(`${ONE}/share`, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'share report', isChanged: true })
    const lasts = readShare(await readJsonBody(koa, SHARE))
    const { record } = await runs.find(clinic, koa.params.run ?? '')
    const { token, expiresAt } = await repository.change(clinic, (unit) => stageLink(unit, record.id, lasts))
    tellSecrets(koa, token)
    koa.status = 201
    koa.body = { url: `${baseOf(koa)}/${SHARED_REPORTS}/${token}`, expiresAt: instantOf(expiresAt) }
  })

  router.delete(`${ONE}/share`, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'end links to report', isChanged: true })
    const { record } = await runs.find(clinic, koa.params.run ?? '')
    await repository.change(clinic, (unit) => stageEndOfLinks(unit, record.id))
    koa.status = 204
  })
}

/** The server's statement under a strictness profile. @throws FhirError 400, 404 */
function offered({ statement, strictness }: ReportDependencies, profile: string | readonly string[]): Statement {
  if (typeof profile !== 'string') throw badRequest("'against' comes more than once")
  return narrowed(statement, strictness.named(profile))
}

/** @throws FhirError 400 */
function readStatement(body: unknown): Statement {
  if (isObject(body) && body.resourceType === 'CapabilityStatement' && Array.isArray(body.rest)) return body
  throw badRequest('The body must be a CapabilityStatement with `rest`, of a client or of a server')
}

/** @returns milliseconds. @throws FhirError 400 */
function readShare(body: unknown): number {
  const { ttl, ...others } = isObject(body) ? body : { body }
  if (Object.keys(others).length > 0) throw badRequest('The body must be {} or {"ttl": "<ISO 8601 duration>"}')
  return readTtl(ttl, LASTS).toMillis()
}
