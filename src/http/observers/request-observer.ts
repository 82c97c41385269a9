/**
 * The one observation of a request for both records: its accesses are events of the audit trail as soon as the status is
 * known, and the exchange is in the journal when its response has been sent, or its client has disconnected.
 */

import { hash } from 'node:crypto'
import type { Context as KoaContext } from 'koa'
import { ROLES, type Role } from '../../clinics/accounts.ts'
import { present } from '../../fhir/resource.ts'
import { type AuditAgent, NO_SUBJECT } from '../../record/audit/event.ts'
import type { AuditTrail } from '../../record/audit/trail.ts'
import {
  beginningOf,
  beginningOfBytes,
  CLIENT_LEFT,
  type ExchangeOutcome,
  LEAST_ROLE,
  MAX_BODY,
  outcomeOf,
  type Reason,
  type SeenBody,
  type SeenExchange,
  type SeenHeaders,
} from '../../record/journal/exchange.ts'
import type { Journal, JournalPolicy } from '../../record/journal/journal.ts'
import { addSecretsOf, withoutSecretsOf } from '../../record/journal/redaction.ts'
import { Secrets } from '../../record/journal/secrets.ts'
import { type Fired, labelOf } from '../../rehearsal/faults/fired.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import { claimIn } from '../claims.ts'
import { whenClosed } from '../connections.ts'
import {
  type Exchange,
  type ExchangeAccess,
  exchangeOf,
  type Observer,
  runOf,
  seenBodyOf,
  seenContentsOf,
  stateOf,
} from '../exchange.ts'
import { callIdOf, correlationOf, namedRunOf, replayedIn, requestIdOf } from '../headers.ts'
import { firstSegment } from '../side-router.ts'
import type { User } from '../token.ts'

interface RequestObserverParts {
  readonly trail: AuditTrail | undefined
  readonly journal: Journal
  /** The IP address of the client. */
  readonly addressOf: (koa: KoaContext) => string
}

/** An exchange whose response is ready. */
interface Ready {
  readonly exchange: Exchange
  readonly koa: KoaContext
  /** Undefined where the request has no valid token. */
  readonly user: User | undefined
  /** The user of the token. */
  readonly agent: AuditAgent
  /** The client disconnected before. */
  readonly hasLeft: boolean
  /** As of performance.now(). */
  readonly readyAt: number
}

const UNKNOWN: AuditAgent = { kind: 'unknown' }

export class RequestObserver implements Observer {
  readonly #parts: RequestObserverParts
  /** The user of a token is one object for as long as the token is remembered, and so is its agent. */
  readonly #agents = new WeakMap<User, AuditAgent>()

  constructor(parts: RequestObserverParts) {
    this.#parts = parts
  }

  observe(exchange: Exchange, koa: KoaContext): void {
    const { trail, journal } = this.#parts
    const user = stateOf(koa).user
    const readyAt = performance.now()
    const ready: Ready = { exchange, koa, user, agent: this.#agentOf(user), hasLeft: koa.res.closed, readyAt }
    if (trail !== undefined) this.#recordAccesses(trail, ready)
    const record = (policy: JournalPolicy) => this.#recordExchange(ready, policy)
    const claim = isUnauthenticated(ready) ? claimIn(koa) : undefined
    if (claim === undefined) journal.policies.use(clinicOf(ready), record)
    // With a store that cannot be read nobody's claim is looked up.
    else void journal.strangers.policyFor(claim, Date.now()).then(record, () => journal.policies.use(SERVICE, record))
  }

  #agentOf(user: User | undefined): AuditAgent {
    if (user === undefined) return UNKNOWN
    const known = this.#agents.get(user)
    if (known !== undefined) return known
    const agent: AuditAgent = { kind: 'user', id: user.sub, name: user.name, role: user.role }
    this.#agents.set(user, agent)
    return agent
  }

  #recordAccesses(trail: AuditTrail, ready: Ready): void {
    const { exchange, koa, agent, user } = ready
    const isRefusal = exchange.accesses.length === 0 && (koa.status === 401 || koa.status === 403)
    const accesses = isRefusal ? [refusalOf(koa)] : exchange.accesses
    let secrets: Secrets | undefined
    for (const access of accesses) {
      if (hasTexts(access, koa)) secrets ??= this.#secretsOf(ready)
      const { by, leastRole: _role, ...kept } = secrets === undefined ? access : withoutSecrets(access, secrets)
      const status = kept.status === 0 ? koa.status : kept.status
      const who = by ?? { clinic: user?.clinic ?? SERVICE, agent }
      trail.record({ ...who, at: Date.now(), address: this.#parts.addressOf(koa), ...kept, status })
    }
  }

  /** Secrets that are known by their values. */
  #secretsOf({ exchange, koa, user }: Ready): Secrets {
    const clinic = exchange.accesses[0]?.by?.clinic ?? user?.clinic ?? SERVICE
    const secrets = new Secrets(this.#parts.journal.formsOfSecrets(clinic))
    for (const secret of exchange.secrets ?? []) secrets.add(secret)
    addSecretsOf(koa.req.headers, secrets)
    return secrets
  }

  #recordExchange(ready: Ready, policy: JournalPolicy): void {
    const { koa } = ready
    if (policy.mode === 'off' || isLeftOut(koa.path)) return
    const { journal } = this.#parts
    // Without a clinic a body may be anything: a password where a user name should be.
    const hasBodies = policy.mode === 'full' && policy.clinic !== SERVICE
    const bytes = hasBodies ? bytesOf(koa) : 0
    if (!journal.takes(policy, bytes, Date.now())) return
    const bodies = hasBodies ? bodiesOf(koa) : {}
    const end = () => {
      const seen = seenOf(ready, bodies, policy)
      journal.record(seen, hasBodies ? policy : { ...policy, mode: 'headers' }, bytes)
    }
    if (koa.res.closed || koa.res.destroyed) end()
    else whenClosed(koa.res, end)
  }
}

/** Refused for a wrong token or voice secret, so that nobody knows who sent it. */
const isUnauthenticated = ({ exchange, koa, user }: Ready): boolean =>
  koa.status === 401 && user === undefined && exchange.accesses.length === 0

/** Characters that are kept of the address of a refused request. */
const MAX_ADDRESS = 200

const refusalOf = ({ method, path }: KoaContext): ExchangeAccess => ({
  ...NO_SUBJECT,
  interaction: 'refusal',
  detail: `${method} ${path}`.slice(0, MAX_ADDRESS),
})

/**
 * Whether the access has text chosen by the client, which may hold a secret: the id of an existing resource cannot, the id
 * in a delete can.
 */
const hasTexts = ({ query, detail, status, interaction }: ExchangeAccess, koa: KoaContext): boolean =>
  query !== '' || detail !== '' || interaction === 'delete' || (status === 0 ? koa.status : status) >= 400

/** The same redaction as that of the journal. */
function withoutSecrets(access: ExchangeAccess, secrets: Secrets): ExchangeAccess {
  const { query, detail, type, id, patients, by } = access
  const call = by?.agent.kind === 'call' ? by.agent.id : ''
  const keptCall = secrets.without(call)
  return {
    ...access,
    query: withoutSecretsOf(query, secrets),
    detail: withoutSecretsOf(detail, secrets),
    type: secrets.without(type),
    id: secrets.without(id),
    patients: patients.length === 1 ? patients.map((patient) => secrets.without(patient)) : patients,
    ...(by === undefined || keptCall === call ? {} : { by: { ...by, agent: { kind: 'call', id: keptCall } } }),
  }
}

/**
 * Paths at which nothing is recorded: monitoring of the server, the journal itself, and all the data of a clinic at once.
 * The first segments, and those of a clinic.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['dashboard', 'exchanges', 'favicon.ico', 'health', 'metrics', 'simulators'],
])
const OF_CLINIC = /^\/clinics\/[^/]+\/(?:exchanges|export|import)(?:\/|$)/

const isLeftOut = (path: string): boolean => LEFT_OUT.has(firstSegment(path)) || OF_CLINIC.test(path)

/** First segments of paths at which operators act in any clinic. */
const OF_OPERATORS: ReadonlySet<string> = new Set(['accounts', 'clinics'])

/** The clinic that the exchange is about; an operator's request belongs to none where no route has found one. */
function clinicOf({ exchange: { accesses }, koa, user }: Ready): string {
  const [access] = accesses
  if (access?.by !== undefined || user === undefined) return access?.by?.clinic ?? SERVICE
  const isOfNone = user.role === 'operator' && access === undefined && OF_OPERATORS.has(firstSegment(koa.path))
  return isOfNone ? SERVICE : user.clinic
}

/** The least role that may read everything in the exchange. */
function leastRoleOf({ exchange, user }: Ready): Role {
  const roles = exchange.accesses.map(
    (access) => access.leastRole ?? (user !== undefined && readsTrail(access) ? user.role : LEAST_ROLE),
  )
  return ROLES[Math.max(0, ...roles.map((role) => ROLES.indexOf(role)))] ?? LEAST_ROLE
}

/** Events of the audit trail are among the AuditEvents of the clinic, for admins and operators. */
const readsTrail = ({ type, interaction }: ExchangeAccess): boolean => type === 'AuditEvent' && !WRITES.has(interaction)

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

/** Most patients that are kept with an exchange. */
const MAX_PATIENTS = 1_000

type Bodies = Pick<SeenExchange, 'requestBody' | 'responseBody'>

function seenOf(ready: Ready, bodies: Bodies, policy: JournalPolicy): SeenExchange {
  const { clinic } = policy
  const { exchange, koa } = ready
  const { req, res } = koa
  const { at, since, secrets, tools, accesses, faults } = exchange
  const duration = performance.now() - since
  const { waited: waiting = 0, stored } = exchange
  const work = ready.readyAt - since - waiting
  const store = stored === undefined ? undefined : Math.min(stored, work)
  const timing = { waiting, work, ...present({ store }), sending: duration - waiting - work }
  const hasLeft = ready.hasLeft || !res.writableFinished
  const fault = faults && labelOf(faults)
  const [correlation, run, replayOf] = [correlationOf(koa), runOf(koa), replayedIn(koa)]
  const inHeader = namedRunOf(koa)
  const namedRun = inHeader === run ? undefined : inHeader
  const end = endOf(ready, hasLeft)
  return {
    ...{ id: requestIdOf(koa), direction: 'in', at, duration, timing, clinic },
    leastRole: policy.leastRole ?? leastRoleOf(ready),
    patients: [...new Set(accesses.flatMap(({ patients }) => patients))].slice(0, MAX_PATIENTS),
    ...agentOf(ready),
    ...present({ run, namedRun, correlation, replayOf, secrets, tools, fault }),
    ...{ method: koa.method, address: req.url ?? '/' },
    ...deedOf(accesses[0]),
    ...end,
    ...{ requestHeaders: shownHeaders(req.headers), responseHeaders: shownHeaders(res.getHeaders()) },
    ...bodies,
  }
}

type End = Pick<SeenExchange, 'status' | 'outcome' | 'reason'>

/** How it ended. @param hasLeft the response has not been sent as a whole */
function endOf({ exchange, koa: { status } }: Ready, hasLeft: boolean): End {
  if (!hasLeft) return { status, outcome: outcomeWith(exchange, status), ...present({ reason: reasonOf(exchange) }) }
  if (exchange.faults !== undefined) return { status: 0, outcome: 'broken', reason: brokenBy(exchange.faults) }
  return { status: CLIENT_LEFT, outcome: 'left', reason: leftAt(status) }
}

const brokenBy = (faults: readonly Fired[]): Reason => ({
  code: 'broken',
  text: `The client did not get the whole response, as the request met ${labelOf(faults)}`,
})

const leftAt = (status: number): Reason => ({
  code: 'client-left',
  text: `The client closed its connection before it had the response, whose status was ${status}`,
})

/** A refusal may be told with status 200: in a result of the Model Context Protocol. */
function outcomeWith({ reason }: Exchange, status: number): ExchangeOutcome {
  const outcome = outcomeOf(status)
  return outcome === 'ok' && reason !== undefined ? 'refused' : outcome
}

function reasonOf({ reason, accesses: [bundle, ...entries] }: Exchange): Reason | undefined {
  if (reason !== undefined || (bundle?.interaction !== 'batch' && bundle?.interaction !== 'transaction')) return reason
  const failed = entries.filter(({ status }) => status >= 400).length
  if (failed === 0) return undefined
  return { code: 'entries-failed', text: `${failed} of the ${entries.length} entries that were tried have failed` }
}

function agentOf({ exchange, agent, koa }: Ready): Pick<SeenExchange, 'user' | 'call'> {
  const named = exchange.accesses[0]?.by?.agent
  const acting = named?.kind === 'call' || named?.kind === 'user' ? named : agent
  if (acting.kind === 'user') return { user: { id: acting.id, name: acting.name, role: acting.role } }
  const call = acting.kind === 'call' ? acting.id : callIdOf(koa)
  return call === undefined ? {} : { call }
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

/** Each header as one text. */
export const shownHeaders = (headers: NodeJS.Dict<unknown>): SeenHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** Approximate size of the bodies, as far as they are kept. */
function bytesOf(koa: KoaContext): number {
  const { body } = koa
  const answered = typeof body === 'string' || body instanceof Uint8Array ? body.length : 0
  return Math.min(seenBodyOf(koa)?.size ?? 0, MAX_BODY) + Math.min(answered, MAX_BODY)
}

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
  const { cutContent } = exchangeOf(koa)
  const body = bodyOf(koa, seen, isText(koa.req.headers['content-type'] ?? ''))
  return cutContent === undefined ? body : { ...body, cutContent }
}

function responseBodyOf(koa: KoaContext): SeenBody | undefined {
  const { body } = stateOf(koa).answeredWithMarkers === undefined ? koa : { body: stateOf(koa).answeredWithMarkers }
  if (body === undefined || body === null || body === '') return undefined
  const type = String(koa.res.getHeader('content-type') ?? '')
  const isReadable = isText(type) && !koa.res.hasHeader('content-encoding')
  if (typeof body === 'string') {
    return isReadable ? withContents(beginningOf(body), koa) : { size: Buffer.byteLength(body) }
  }
  if (body instanceof Uint8Array) return bodyOf(koa, { bytes: body, size: body.byteLength }, isReadable)
  // Only the length of a stream is kept: it is sent as it comes.
  if (typeof body === 'object' && 'pipe' in body) return sizeOf(koa.length) ?? {}
  return beginningOf(JSON.stringify(body))
}

/** @param bytes the body, or its beginning */
function bodyOf(
  koa: KoaContext,
  { bytes, size }: { readonly bytes: Uint8Array; readonly size: number },
  isReadable: boolean,
): SeenBody {
  if (isReadable) return withContents(beginningOfBytes(bytes, size), koa)
  return bytes.byteLength === size && size <= MAX_BODY ? { size, sha256: hash('sha256', bytes) } : { size }
}

/** Whether a body can be searched for secrets; '' counts as FHIR's type. */
const isText = (type: string): boolean => type === '' || /\b(?:json|xml|x-www-form-urlencoded)\b/i.test(type)

function withContents(body: SeenBody, koa: KoaContext): SeenBody {
  const contents = seenContentsOf(koa)
  return contents === undefined ? body : { ...body, contents }
}
