/**
 * One request and its response: the state that its stages share, and the facts that observers see when the response is
 * ready.
 */

import type { Readable } from 'node:stream'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Role, TokenSession } from '../clinics/accounts.ts'
import type { ClinicFacts } from '../clinics/clinics.ts'
import { present } from '../fhir/resource.ts'
import { currentBudget } from '../isolation/budget.ts'
import { type EndedSpan, type Sampling, type TraceContext, traceOf, traceparentOf } from '../isolation/trace-context.ts'
import { type Access, type AuditAgent, NO_SUBJECT } from '../record/audit/event.ts'
import { type Content, MAX_BODY, type Reason, type ToolExchange } from '../record/journal/exchange.ts'
import type { Fired } from '../rehearsal/faults/fired.ts'
import { HEADER } from '../rehearsal/faults/named.ts'
import type { Profile } from '../rehearsal/strictness/profile.ts'
import type { BodiesInFlight } from './admission/bodies-in-flight.ts'
import { namedRunOf, requestIdOf } from './headers.ts'
import type { User } from './token.ts'

/** The state of a request, each field with the stage that sets it. */
export interface RequestState {
  /** `observed`, the outermost stage. */
  exchange?: Exchange
  /** The strictness: the profile of an address below /as/{profile}, and that prefix. */
  as?: { readonly profile: Profile; readonly prefix: string }
  /** The share: the clinic, or the address, for which the request counts, and the room for bodies. */
  holder?: string
  bodies?: BodiesInFlight
  /** Authentication: the claims of the token, its user, and its session, unless its issuer is a foreign one. */
  claims?: unknown
  user?: User
  session?: TokenSession | undefined
  /** When requests with the token begin to be refused: milliseconds since 1970 UTC, by the clock of the machine. */
  tokenEnds?: number
  /** The clinic of the user; none for an operator without one. */
  clinic?: ClinicFacts
  /** The reading of the body: the client was asked to send it; its bytes; of one sent as gzip the bytes as sent, or the stream that inflates it. */
  isInvited?: boolean
  bodyBytes?: Promise<Buffer>
  sentBytes?: Buffer
  inflating?: Readable
  /** The body for the journal: its beginning, or the content that went straight to the content storage. */
  seenBody?: SeenBytes
  seenContent?: Content
  /** Contents of the request and of the response, and the response with markers in place of its contents. */
  seenContents?: Map<string, number>
  answeredWithMarkers?: string | Buffer
}

/** Anything that carries the state of a request: Koa's context. */
export type Stateful = Pick<KoaContext, 'state'>

/** Koa leaves the type of its state open. */
export const stateOf = ({ state }: Stateful): RequestState => state

/** The prefix of an address below /as/{profile}, as it is taken off before the request is routed; '' elsewhere. */
export const prefixOf = (koa: Stateful): string => stateOf(koa).as?.prefix ?? ''

/** The user of an authenticated request. @throws Error on a route without authentication */
export function userOf(koa: Stateful): User {
  const { user } = stateOf(koa)
  if (user === undefined) throw new Error('This route is served without authentication, but asks for the user')
  return user
}

/** The user of an authenticated request, as the agent of what it does. */
export function userAgentOf(koa: Stateful) {
  const { sub: id, name, role } = userOf(koa)
  const { session, tokenEnds: expires } = stateOf(koa)
  return { kind: 'user' as const, id, name, role, ...present({ session, expires }) }
}

export interface SeenBytes {
  /** The whole body, or its first bytes. */
  readonly bytes: Uint8Array
  /** Size of the whole body. */
  readonly size: number
}

/** Shows the journal the body of a request. */
export const seeBody = (koa: Stateful, bytes: Uint8Array): void => {
  stateOf(koa).seenBody ??= { bytes, size: bytes.byteLength }
}

/** Undefined where the body was not read. */
export const seenBodyOf = (koa: Stateful): SeenBytes | undefined => stateOf(koa).seenBody

/** Copies the beginning, as the bytes themselves are about to be transferred. */
export function keepBeginning(koa: Stateful): void {
  const seen = seenBodyOf(koa)
  if (seen === undefined) return
  stateOf(koa).seenBody = { bytes: Uint8Array.from(seen.bytes.subarray(0, MAX_BODY)), size: seen.size }
}

/** Sizes in bytes, by SHA-256, of the contents that the journal sees only as markers. */
export const seenContentsOf = (koa: Stateful): ReadonlyMap<string, number> | undefined => stateOf(koa).seenContents

export function seeContent(koa: Stateful, { sha256, size }: Content): void {
  const state = stateOf(koa)
  state.seenContents ??= new Map()
  state.seenContents.set(sha256, size)
}

export interface ExchangeAccess extends Access {
  /** The clinic and the agent, where they are not the user of the token and that user's clinic. */
  readonly by?: { readonly clinic: string; readonly agent: AuditAgent }
  /** The least role that may read its exchange in the journal; absent: staff. */
  readonly leastRole?: Role
}

/**
 * Facts collected while a request is served. They can be copied to another thread, and are replaced by those of a work
 * thread.
 */
export interface ExchangeFacts {
  /** The accesses performed or attempted; one without a status ended as the exchange did. */
  accesses: readonly ExchangeAccess[]
  /** Its tool calls, in order. */
  tools?: readonly ToolExchange[]
  /** The id of the open run that it belongs to: docs/runs.md. */
  run?: string
  /** The faults that it met, as somebody rehearses: docs/faults.md. */
  faults?: readonly Fired[]
  /** Secret values, which the journal and the audit trail must not keep anywhere: see `tellSecrets`. */
  secrets?: readonly string[]
  /** The reason for the response, where the status does not say it all. */
  reason?: Reason
  /** Milliseconds that it has waited for the store; absent where that is not known. */
  stored?: number
  /** See SeenBody: of the request, where a work thread alone has read its whole body. */
  cutContent?: Content | undefined
  /** Its parts: tool calls and commits, where spans are recorded. */
  spans?: EndedSpan[] | undefined
  /** See `routeOf`. */
  route?: string
}

/** One request and its response. */
export interface Exchange extends ExchangeFacts {
  /** When it began: milliseconds since 1970 UTC, and as of performance.now(). */
  readonly at: number
  readonly since: number
  /** Absent where it can be told from its headers, as nothing is recorded: see `traceIn`. */
  readonly trace?: TraceContext
  /** Milliseconds that it has waited for its turn on the event loop. */
  waited?: number
}

export interface Observer {
  /** Called once for each exchange, when its status is known. It must be quick, and never throws. */
  observe(exchange: Exchange, koa: KoaContext): void
}

/** The outermost middleware: errors become responses within it. */
export const observed =
  (observers: readonly Observer[], sampling?: Sampling): Middleware =>
  async (koa, next) => {
    const exchange = newExchange(koa, sampling)
    stateOf(koa).exchange = exchange
    if (exchange.trace?.isRecorded) koa.set(TRACE_RESPONSE, traceparentOf(exchange.trace))
    await next()
    // Stages may have changed it: the journal shows the request as it was sent.
    koa.req.url = koa.originalUrl
    for (const observer of observers) observer.observe(exchange, koa)
  }

/** https://w3c.github.io/trace-context/#traceresponse-header */
const TRACE_RESPONSE = 'traceresponse'

function newExchange(koa: KoaContext, sampling: Sampling | undefined): Exchange {
  const begun = { at: Date.now(), since: performance.now(), accesses: [] }
  // In a work thread the request belongs to the span with which it arrived.
  const budget = currentBudget()
  if (budget !== undefined) return { ...begun, ...present({ trace: budget.trace, spans: budget.spans }) }
  if (sampling === undefined) return begun
  const trace = traceOf(requestIdOf(koa), sampling, traceparentIn(koa))
  return { ...begun, trace, ...(trace.isRecorded ? { spans: [] } : {}) }
}

function traceparentIn({ req: { headers } }: KoaContext): string | undefined {
  return typeof headers.traceparent === 'string' ? headers.traceparent : undefined
}

/** The trace that a request belongs to, and the span in it. */
export const traceIn = (koa: KoaContext): TraceContext =>
  exchangeOf(koa).trace ?? traceOf(requestIdOf(koa), undefined, traceparentIn(koa))

/** Facts from the work thread replace those collected here. */
export const replaceFacts = (koa: Stateful, told: ExchangeFacts): void => void Object.assign(exchangeOf(koa), told)

/** The facts, to be sent to another thread. */
export const factsOf = ({
  accesses,
  tools,
  run,
  faults,
  secrets,
  reason,
  cutContent,
  spans,
  route,
}: ExchangeFacts): ExchangeFacts => ({
  accesses,
  ...present({ tools, run, faults, secrets, reason, cutContent, spans, route, stored: currentBudget()?.stored }),
})

/** The pattern of its route, which has no ids. Undefined where none was found, or not in this thread. */
export const routeOf = ({ _matchedRoute: route }: KoaContext): string | undefined =>
  typeof route === 'string' ? route : undefined

/** The request header that names faults, as Node has it. */
const FAULTS = HEADER.toLowerCase()

/** Whether a request names a fault, its clinic has rules for some, or it belongs to an open run. */
export const mayMeetFaults = (koa: KoaContext, clinic = stateOf(koa).clinic): boolean =>
  clinic?.faultRules !== undefined || exchangeOf(koa).run !== undefined || koa.req.headers[FAULTS] !== undefined

/** Whether a request may belong to an open run: its clinic has some. */
export const mayBelongToRun = (koa: KoaContext, clinic = stateOf(koa).clinic): boolean => clinic?.openRuns !== undefined

/** The open run that a request belongs to, or the text in its headers. */
export const runOf = (koa: KoaContext): string | undefined => exchangeOf(koa).run ?? namedRunOf(koa)

/** Whether the request in progress has met one so far. */
export const meetsFaults = (): boolean => currentBudget()?.isFaulted === true

/** Whether the exchange knows of one, at its end. */
export const hasMetFaults = (koa: Stateful): boolean => exchangeOf(koa).faults !== undefined

/** The exchange of a request in progress. */
export const exchangeOf = (koa: Stateful): Exchange => stateOf(koa).exchange as Exchange

/** Registers passwords, tokens and keys that a request carries in its body or its path, or that its response issues. */
export function tellSecrets(koa: Stateful, ...secrets: readonly (string | undefined)[]): void {
  const exchange = exchangeOf(koa)
  exchange.secrets = [...(exchange.secrets ?? []), ...secrets.filter((secret) => secret !== undefined)]
}

interface UserAccess {
  /** The clinic whose data it is about; absent: that of the user. */
  readonly clinic?: string
  /** Path and query, where the access is a search. */
  readonly query?: string
  /** The ids of the patients that it is about. */
  readonly patients?: readonly string[]
  /** The least role that may read the exchange; absent: staff. */
  readonly leastRole?: Role
}

/**
 * Replaces the access recorded before: a route first records its intent, and later whose data it was.
 * @param what `change settings`
 */
export function tellUserAccess(koa: KoaContext, what: string, access: UserAccess = {}): void {
  const { sub: id, name, role, clinic: own } = userOf(koa)
  const { clinic = own, query = '', patients = [], leastRole } = access
  const told: ExchangeAccess = {
    ...NO_SUBJECT,
    interaction: 'operation',
    detail: what,
    query,
    patients,
    by: { clinic, agent: { kind: 'user', id, name, role } },
    ...(leastRole === undefined ? {} : { leastRole }),
  }
  exchangeOf(koa).accesses = [told]
}
