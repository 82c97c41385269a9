/**
 * The journal over HTTP: GET /clinics/{id}/exchanges, …/live, …/counts, …/export, …/{exchange}, POST …/{exchange}/$replay; for the clinic's
 * own staff and admins, and for operators. /exchanges, for operators alone, has the exchanges without a clinic.
 * docs/journal.md
 */

import { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { isHigher } from '../clinics/accounts.ts'
import { badRequest, FhirError, notFound } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import { unaccented } from '../fhir/text-folding.ts'
import { forbidden, requireOperator } from '../http/authenticate.ts'
import { tellUserAccess, userOf } from '../http/exchange.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { type ExchangeDetail, type ExchangeSummary, isGap, patientOf, strangersOf } from '../record/journal/exchange.ts'
import type { Journal } from '../record/journal/journal.ts'
import { type JournalFilter, JournalReader, type NumberedExchange } from '../record/journal/journal-reader.ts'
import { type LiveJournal, MAX_WATCHERS } from '../record/journal/live.ts'
import { curlOf, whyNotReplayed } from '../record/journal/replay.ts'
import { READS_STRANGERS } from '../record/journal/strangers.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { clinicInPath } from './clinic-in-path.ts'
import { exportOf } from './exchange-export.ts'
import { liveStream } from './live-stream.ts'
import type { Replays } from './replays.ts'

export interface ExchangeDependencies {
  readonly repository: Repository
  /** All three are undefined in a work thread, which serves none of these routes. */
  readonly journal: Journal | undefined
  readonly live: LiveJournal | undefined
  readonly replays: Replays | undefined
  /** Throws once the session of a request has ended. */
  readonly authenticate: Middleware
  /** The address of this server as the client sees it. */
  readonly baseOf: (koa: KoaContext) => string
}

const PAGE = { usual: 50, most: 200 }

/** @param router of the clinics */
export function addExchangeRoutes(router: Router, dependencies: ExchangeDependencies): void {
  const { repository, replays } = dependencies
  addRoutes(router, '/:clinic/exchanges', dependencies, (koa) => clinicOf(koa, repository))

  router.post('/:clinic/exchanges/:exchange/$replay', async (koa) => {
    const clinic = await clinicOf(koa, repository)
    if (userOf(koa).clinic !== clinic) {
      throw forbidden('A replay is sent under your own identity, so only users of the clinic may replay its requests')
    }
    const { summary, detail } = await found(koa, readerOf(koa, dependencies, clinic))
    tellAccess(koa, clinic, detail.patients)
    const reason = whyNotReplayed(summary, detail)
    if (reason !== undefined) throw notReplayed(reason)
    koa.body = await required(replays).replay(koa, clinic, { summary, detail })
  })
}

/** Exchanges without a clinic, as it is not known whose they are. Run after authentication. */
export function exchangeRoutes(dependencies: ExchangeDependencies): SideRouter {
  const router = new Router()
  addRoutes(router, '/exchanges', dependencies, async (koa) => {
    requireOperator(userOf(koa), 'read the exchanges that belong to no clinic')
    return SERVICE
  })
  return sideRouter(['exchanges'], router)
}

function addRoutes(
  router: Router,
  path: string,
  dependencies: ExchangeDependencies,
  clinicOf: (koa: KoaContext) => Promise<string>,
): void {
  const readOf = async (koa: KoaContext): Promise<{ readonly clinic: string; readonly reader: JournalReader }> => {
    const clinic = await clinicOf(koa)
    tellAccess(koa, clinic)
    const part = partOf(koa, clinic)
    // A client finds the exchanges whose responses it has just received.
    await dependencies.journal?.flush()
    return { clinic, reader: readerOf(koa, dependencies, part) }
  }

  router.get(path, async (koa) => {
    const { clinic, reader } = await readOf(koa)
    const query = queryOf(koa, ['before', 'after', 'count'])
    const [before, after] = [numberIn(koa, 'before'), numberIn(koa, 'after')]
    if (before !== undefined && after !== undefined) throw badRequest("'before' and 'after' exclude each other")
    const count = Math.max(Math.min(numberIn(koa, 'count') ?? PAGE.usual, PAGE.most), 1)
    const page = await (after === undefined
      ? reader.page(filterOf(query), count, before)
      : reader.page(filterOf(query), count, after, 'oldest first'))
    tellAccess(
      koa,
      clinic,
      page.exchanges.flatMap(({ exchange }) => patientOf(exchange)),
    )
    const direction = after === undefined ? 'before' : 'after'
    koa.body = { exchanges: page.exchanges.map(shown), ...(page.next && { next: nextOf(koa, direction, page.next) }) }
  })

  router.get(`${path}/counts`, async (koa) => {
    const { reader } = await readOf(koa)
    koa.body = await reader.counts(filterOf(queryOf(koa, [])), Date.now())
  })

  router.get(`${path}/export`, async (koa) => {
    const { clinic, reader } = await readOf(koa)
    const query = queryOf(koa, ['format'])
    const exported = await exportOf(reader, filterOf(query), koa.query.format)
    tellAccess(koa, clinic, exported.patients)
    koa.set('Content-Disposition', `attachment; filename="exchanges.${exported.ending}"`)
    koa.body = exported.bodyFor(dependencies.baseOf(koa))
    koa.type = exported.type
  })

  router.get(`${path}/live`, async (koa) => {
    const clinic = await clinicOf(koa)
    tellAccess(koa, clinic)
    const filter = filterOf(queryOf(koa, ['after']))
    const after = numberIn(koa, 'after') ?? lastEventId(koa)
    const part = partOf(koa, clinic)
    const watcher = required(dependencies.live).watch(part)
    if (watcher === undefined) throw tooManyWatch()
    const reader = readerOf(koa, dependencies, part)
    const leave = () => required(dependencies.live).leave(part, watcher)
    await liveStream(koa, { reader, filter, after, watcher, leave, authenticate: dependencies.authenticate })
  })

  router.get(`${path}/:exchange`, async (koa) => {
    const { clinic, reader } = await readOf(koa)
    const { number, summary, detail } = await found(koa, reader)
    tellAccess(koa, clinic, detail.patients)
    const curl = curlOf(summary, detail)
    const { addressChanged: _changed, patients: _patients, ...messages } = detail
    const isStrange = koa.query.authentication !== undefined
    const reason = isStrange ? 'its authentication failed' : whyNotReplayed(summary, detail)
    const replay = reason === undefined ? { possible: true } : { possible: false, reason }
    koa.body = { number, ...summary, ...messages, ...present({ curl }), replay }
  })
}

/**
 * The part of a clinic's journal that is asked for.
 * @throws FhirError 400, 403 where failed authentications are asked for without the role
 */
function partOf(koa: KoaContext, clinic: string): string {
  const { authentication } = koa.query
  if (authentication === undefined) return clinic
  if (authentication !== 'failed') throw badRequest("'authentication' may only be failed")
  // They are among the others there.
  if (clinic === SERVICE) throw badRequest("'authentication' is for the exchanges of a clinic")
  const { role } = userOf(koa)
  if (isHigher(READS_STRANGERS, role)) {
    throw forbidden(`Failed authentications are for admins of the clinic; your role is '${role}'`)
  }
  return strangersOf(clinic)
}

const shown = ({ number, exchange }: NumberedExchange): object => ({ number, ...exchange })

function readerOf(koa: KoaContext, { journal }: ExchangeDependencies, clinic: string): JournalReader {
  return new JournalReader(required(journal).store, clinic, userOf(koa).role)
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The journal is read where the requests come in')
  return part
}

/** @throws FhirError 404 for no exchange, and for a gap */
async function found(
  koa: KoaContext,
  reader: JournalReader,
): Promise<{ readonly number: number; readonly summary: ExchangeSummary; readonly detail: ExchangeDetail }> {
  const entry = await reader.find(koa.params.exchange ?? '')
  if (entry?.detail === undefined || isGap(entry.summary)) {
    throw notFound('There is no such exchange in the journal; it may not be kept any more')
  }
  return { number: entry.number, summary: entry.summary, detail: entry.detail }
}

/** @throws FhirError 403 for another clinic than one's own, 404 where an operator names an unknown one */
async function clinicOf(koa: KoaContext, repository: Repository): Promise<string> {
  const { clinic } = userOf(koa)
  if (koa.params.clinic === clinic) return clinic
  return (await clinicInPath(koa, repository, 'read the journal of')).clinic
}

/** Records the look at exchanges in the audit trail of their clinic, as they are about patients. */
const tellAccess = (koa: KoaContext, clinic: string, patients: readonly string[] = []): void =>
  tellUserAccess(koa, 'journal', { clinic, patients, query: koa.req.url ?? '' })

const FILTERS = [
  ...(['run', 'call', 'status', 'path', 'type', 'fault', 'since', 'until'] as const),
  ...(['method', 'direction', 'user', 'operation', 'text', 'run:not', 'authentication', 'trace'] as const),
]
type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>

/** @throws FhirError 400 for an unknown or repeated parameter */
function queryOf({ query }: KoaContext, others: readonly string[]): Filters {
  const known: readonly string[] = [...FILTERS, ...others]
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) throw badRequest(`'${name}' is not known here; the parameters are ${known.join(', ')}`)
    if (typeof value !== 'string') throw badRequest(`'${name}' comes more than once`)
  }
  return query as Filters
}

function filterOf(filters: Filters): JournalFilter {
  const { run, call, path, type, fault, direction, user, operation, 'run:not': notRun } = filters
  const { status, since, until, text, method, trace } = filters
  return present({
    ...{ run, call, path, type, fault, direction, user, operation, notRun },
    trace: trace?.toLowerCase(),
    method: method?.toUpperCase(),
    text: text === undefined ? undefined : unaccented(text),
    status: status === undefined ? undefined : statusOf(status),
    since: since === undefined ? undefined : sinceOf(since),
    until: until === undefined ? undefined : sinceOf(until, 'until'),
  })
}

function statusOf(status: string): { readonly from: number; readonly to: number } {
  if (/^\dxx$/i.test(status)) {
    const from = Number(status[0]) * 100
    return { from, to: from + 99 }
  }
  if (/^\d{1,3}$/.test(status)) return { from: Number(status), to: Number(status) }
  throw badRequest("'status' must be a status such as 404, or a class of them such as 4xx")
}

/** A time from or until which exchanges are meant, in milliseconds since 1970 UTC. @throws FhirError 400 */
export function sinceOf(since: string, name = 'since'): number {
  const time = Date.parse(since)
  if (Number.isNaN(time)) throw badRequest(`'${name}' must be a time such as 2026-03-01T08:00:00Z`)
  return time
}

function numberIn({ query }: KoaContext, name: string): number | undefined {
  const value = query[name]
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value)
  throw badRequest(`'${name}' must be a whole number`)
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header */
function lastEventId(koa: KoaContext): number | undefined {
  const id = koa.get('last-event-id')
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined
}

function nextOf(koa: KoaContext, direction: 'before' | 'after', number: number): string {
  const parameters = new URLSearchParams(koa.querystring)
  parameters.set(direction, String(number))
  return `${koa.path}?${parameters}`
}

const tooManyWatch = (): FhirError =>
  new FhirError(
    429,
    { code: 'throttled', diagnostics: `${MAX_WATCHERS} live streams of a clinic may be open; close one of them` },
    { 'retry-after': '5' },
  )

const notReplayed = (reason: string): FhirError =>
  new FhirError(422, {
    code: 'not-supported',
    reason: 'not-replayable',
    diagnostics: `The exchange cannot be sent again from here: ${reason}`,
  })
