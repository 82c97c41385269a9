/** Records exchanges in the journal when the response has been sent or the client has disconnected. */
import { hash } from 'node:crypto'
import type { Context as KoaContext } from 'koa'
import type { Role } from '../../clinics/accounts.ts'
import {
  CLIENT_LEFT,
  type ExchangeOutcome,
  MAX_BODY,
  type Reason,
  type SeenBody,
  type SeenExchange,
} from '../../record/journal/exchange.ts'
import type { Journal } from '../../record/journal/journal.ts'
import type { JournalPolicy } from '../../record/journal/policies.ts'
import { highest, LEAST_ROLE } from '../../record/journal/readers.ts'
import { beginningOf, beginningOfBytes } from '../../record/journal/sent.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import { type Exchange, type ExchangeAccess, type Observer, seenBodyOf, seenContentsOf, stateOf } from '../exchange.ts'
import { callIdOf, correlationOf, replayedIn, requestIdOf, runOf } from '../headers.ts'
import { whenClosed } from '../http-response.ts'
import { firstSegment } from '../side-router.ts'
import type { User } from '../token.ts'
import { shownHeaders } from './known-secrets.ts'

/** First segments of paths at which nothing is recorded: monitoring of the server, and the journal itself. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['dashboard', 'exchanges', 'favicon.ico', 'health', 'metrics', 'simulators'],
])
const OF_CLINIC = /^\/clinics\/[^/]+\/exchanges(?:\/|$)/

export class JournalObserver implements Observer {
  readonly #journal: Journal

  constructor(journal: Journal) {
    this.#journal = journal
  }

  observe(exchange: Exchange, koa: KoaContext): void {
    const { policies } = this.#journal
    const clinic = clinicOf(exchange, koa)
    const policy = policies.known(clinic)
    const ended: Ended = { exchange, koa, hasLeft: koa.res.closed }
    if (policy !== undefined) this.#observe(ended, policy)
    else {
      // An unreadable store is reported elsewhere.
      void policies.load(clinic).then(
        (loaded) => this.#observe(ended, loaded),
        () => {},
      )
    }
  }

  #observe(ended: Ended, policy: JournalPolicy): void {
    const { koa } = ended
    if (policy.mode === 'off' || isLeftOut(koa.path)) return
    // Without a clinic a body may be anything: a password where a user name should be.
    const hasBodies = policy.mode === 'full' && policy.clinic !== SERVICE
    const bytes = hasBodies ? bytesOf(koa) : 0
    if (!this.#journal.takes(policy, bytes, Date.now())) return
    const bodies = hasBodies ? bodiesOf(koa) : {}
    const { res } = koa
    const end = () => {
      const seen = seenOf(ended, bodies, policy)
      this.#journal.record(seen, hasBodies ? policy : { ...policy, mode: 'headers' }, bytes)
    }
    if (res.closed || res.destroyed) end()
    else whenClosed(res, end)
  }
}

/** An exchange whose response is ready. */
interface Ended {
  readonly exchange: Exchange
  readonly koa: KoaContext
  /** The client disconnected before. */
  readonly hasLeft: boolean
}

const isLeftOut = (path: string): boolean => LEFT_OUT.has(firstSegment(path)) || OF_CLINIC.test(path)

/** Approximate size of the bodies, as far as they are kept. */
function bytesOf(koa: KoaContext): number {
  const { body } = koa
  const answered = typeof body === 'string' || body instanceof Uint8Array ? body.length : 0
  return Math.min(seenBodyOf(koa)?.size ?? 0, MAX_BODY) + Math.min(answered, MAX_BODY)
}

/** The clinic that the exchange is about. */
function clinicOf({ accesses }: Exchange, koa: KoaContext): string {
  const clinic = accesses[0]?.by?.clinic
  if (clinic !== undefined) return clinic
  const user = stateOf(koa).user
  return user === undefined || isOfService(accesses, user, koa) ? SERVICE : user.clinic
}

/** Whether an operator's request belongs to no clinic: no route has found one. */
const isOfService = (accesses: Exchange['accesses'], { role }: User, { path }: KoaContext): boolean =>
  role === 'operator' && accesses.length === 0 && OF_OPERATORS.has(firstSegment(path))

/** First segments of paths at which operators act in any clinic. */
const OF_OPERATORS: ReadonlySet<string> = new Set(['accounts', 'clinics'])

/** Most patients that are kept with an exchange. */
const MAX_PATIENTS = 1_000

/** The least role that may read everything in the exchange. */
function leastRoleOf({ accesses }: Exchange, koa: KoaContext): Role {
  const user = stateOf(koa).user
  return highest(
    accesses.map((access) => access.leastRole ?? (user !== undefined && readsTrail(access) ? user.role : LEAST_ROLE)),
  )
}

/** Events of the audit trail are among the AuditEvents of the clinic, for admins and operators. */
const readsTrail = ({ type, interaction }: ExchangeAccess): boolean => type === 'AuditEvent' && !WRITES.has(interaction)

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

type Bodies = Pick<SeenExchange, 'requestBody' | 'responseBody'>

/** The bodies, read now: they are shown as they were when the response was ready. */
function bodiesOf(koa: KoaContext): Bodies {
  const isWithheld = WITHHELD[firstSegment(koa.path)]?.(koa.method) ?? {}
  const requestBody = isWithheld.request ? sizeOf(seenBodyOf(koa)?.size) : requestBodyOf(koa)
  const responseBody = isWithheld.response ? sizeOf(koa.length) : responseBodyOf(koa)
  return {
    ...(requestBody && { requestBody }),
    ...(responseBody && koa.method !== 'HEAD' && { responseBody }),
  }
}

/**
 * By the first segments of their paths, requests that may carry passwords, tokens or the credentials of connectors:
 * their bodies are never kept, nor a hash, by which a password could be guessed.
 */
const WITHHELD: Readonly<Record<string, (method: string) => { readonly request?: true; readonly response?: true }>> = {
  session: () => ({ request: true, response: true }),
  accounts: () => ({ request: true }),
  clinics: (method) => (method === 'GET' || method === 'HEAD' ? {} : { request: true }),
}

const sizeOf = (size: number | undefined): SeenBody | undefined => (size === undefined ? undefined : { size })

function requestBodyOf(koa: KoaContext): SeenBody | undefined {
  const content = stateOf(koa).seenContent
  if (content !== undefined) return content
  const seen = seenBodyOf(koa)
  if (seen === undefined || seen.size === 0) return undefined
  const type = koa.req.headers['content-type'] ?? ''
  return isText(type) ? withContents(beginningOfBytes(seen.bytes, seen.size), koa) : factsOf(seen.bytes, seen.size)
}

function responseBodyOf(koa: KoaContext): SeenBody | undefined {
  const { body } = stateOf(koa).answeredWithMarkers === undefined ? koa : { body: stateOf(koa).answeredWithMarkers }
  if (body === undefined || body === null || body === '') return undefined
  const type = String(koa.res.getHeader('content-type') ?? '')
  const isReadable = isText(type) && !koa.res.hasHeader('content-encoding')
  if (typeof body === 'string') {
    return isReadable ? withContents(beginningOf(body), koa) : { size: Buffer.byteLength(body) }
  }
  if (body instanceof Uint8Array) return isReadable ? withContents(beginningOfBytes(body), koa) : factsOf(body)
  // Only the length of a stream is kept: it is sent as it comes.
  if (typeof body === 'object' && 'pipe' in body) return koa.length === undefined ? {} : { size: koa.length }
  return beginningOf(JSON.stringify(body))
}

const factsOf = (bytes: Uint8Array, size = bytes.byteLength): SeenBody =>
  bytes.byteLength === size && size <= MAX_BODY ? { size, sha256: hash('sha256', bytes) } : { size }

/** Whether a body can be searched for secrets; '' counts as FHIR's type. */
const isText = (type: string): boolean => type === '' || /\b(?:json|xml|x-www-form-urlencoded)\b/i.test(type)

function withContents(body: SeenBody, koa: KoaContext): SeenBody {
  const contents = seenContentsOf(koa)
  return contents === undefined ? body : { ...body, contents }
}

function seenOf({ exchange, koa, ...ended }: Ended, bodies: Bodies, { clinic }: JournalPolicy): SeenExchange {
  const { req, res } = koa
  const duration = performance.now() - exchange.since
  const hasLeft = ended.hasLeft || !res.writableFinished
  const [correlation, run, replayOf] = [correlationOf(koa), runOf(koa), replayedIn(koa)]
  const reason = hasLeft ? leftAt(koa.status) : reasonOf(exchange)
  return {
    id: requestIdOf(koa),
    direction: 'in',
    at: exchange.at,
    duration,
    clinic,
    leastRole: leastRoleOf(exchange, koa),
    patients: [...new Set(exchange.accesses.flatMap(({ patients }) => patients))].slice(0, MAX_PATIENTS),
    ...agentOf(exchange, koa),
    ...(run === undefined ? {} : { run }),
    ...(correlation === undefined ? {} : { correlation }),
    ...(replayOf === undefined ? {} : { replayOf }),
    method: koa.method,
    address: req.url ?? '/',
    ...deedOf(exchange.accesses[0]),
    status: hasLeft ? CLIENT_LEFT : koa.status,
    outcome: hasLeft ? 'left' : outcomeOf(koa.status),
    ...(reason === undefined ? {} : { reason }),
    ...(exchange.secrets === undefined ? {} : { secrets: exchange.secrets }),
    ...(exchange.tools === undefined ? {} : { tools: exchange.tools }),
    requestHeaders: shownHeaders(req.headers),
    responseHeaders: shownHeaders(res.getHeaders()),
    ...bodies,
  }
}

const outcomeOf = (status: number): ExchangeOutcome => (status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'ok')

const leftAt = (status: number): Reason => ({
  code: 'client-left',
  text: `The client closed its connection before it had the answer, whose status was ${status}`,
})

function reasonOf({ reason, accesses: [bundle, ...entries] }: Exchange): Reason | undefined {
  if (reason !== undefined || (bundle?.interaction !== 'batch' && bundle?.interaction !== 'transaction')) return reason
  const failed = entries.filter(({ status }) => status >= 400).length
  if (failed === 0) return undefined
  return { code: 'entries-failed', text: `${failed} of the ${entries.length} entries that were tried have failed` }
}

function agentOf({ accesses }: Exchange, koa: KoaContext): Pick<SeenExchange, 'user' | 'call'> {
  const agent = accesses[0]?.by?.agent
  if (agent?.kind === 'call') return { call: agent.id }
  if (agent?.kind === 'user') return { user: { id: agent.id, name: agent.name, role: agent.role } }
  const user = stateOf(koa).user
  const call = user === undefined ? callIdOf(koa) : undefined
  return {
    ...(user === undefined ? {} : { user: { id: user.sub, name: user.name, role: user.role } }),
    ...(call === undefined ? {} : { call }),
  }
}

function deedOf(
  access: ExchangeAccess | undefined,
): Pick<SeenExchange, 'interaction' | 'type' | 'resource' | 'operation'> {
  if (access === undefined) return {}
  const { interaction, type, id, detail } = access
  return {
    interaction,
    ...(type === '' ? {} : { type }),
    ...(type === '' || id === '' ? {} : { resource: `${type}/${id}` }),
    ...(detail === '' ? {} : { operation: detail }),
  }
}
