/**
 * Requests that would hold the event loop for too long are served by a work thread: the same server without a socket.
 * Such a request ends on the event loop with OffloadRequired, before it has written anything, and restarts in the
 * thread with its headers and the bytes of its body. See docs/adr/015-time-isolation.md.
 */

import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Limits } from '../../config.ts'
import { present } from '../../fhir/resource.ts'
import {
  Budget,
  BudgetError,
  type Cause,
  currentBudget,
  keepSpans,
  OffloadRequired,
  requireWorkThread,
  SlowKinds,
  withBudget,
} from '../../isolation/budget.ts'
import type { TraceContext } from '../../isolation/trace-context.ts'
import { type Fired, firedNow } from '../../rehearsal/faults/fired.ts'
import { actingUserOf } from '../authenticate.ts'
import { whenClosed } from '../connections.ts'
import {
  type ExchangeFacts,
  exchangeOf,
  keepBeginning,
  prefixOf,
  replaceFacts,
  runOf,
  stateOf,
  traceIn,
} from '../exchange.ts'
import { callIdOf, requestIdOf } from '../headers.ts'
import { bytesToMove } from '../message/body.ts'
import type { User } from '../token.ts'

/** A request as it is sent to a work thread. */
export interface ThreadRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Absent where the request has none. */
  readonly body?: Uint8Array
  readonly remoteAddress: string
  /** The cause of the requests that it sends to other systems. */
  readonly cause: Cause
  readonly trace: TraceContext
  /** The faults that it has met so far. */
  readonly faults?: readonly Fired[]
  /** The user of a job, for whom the server makes the request: it has no token, and more time. */
  readonly user?: User
}

export interface ThreadAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array
  /** Facts about the exchange, from the work thread. */
  readonly told: ExchangeFacts
}

/** The client of the request: threads are shared fairly. */
export interface ThreadClient {
  readonly clinic: string
  readonly token: string
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
  /** Milliseconds that the request has already waited for its reads. */
  readonly waited: number
}

/** The work threads, as src/main/work-threads.ts implements them. */
export interface WorkThreads {
  /**
   * @throws BudgetError when the request takes too long, QueueFull when too many wait, StoreUnavailable when the thread
   *   dies
   */
  answer(request: ThreadRequest, client: ThreadClient): Promise<ThreadAnswer>
}

/**
 * Moves after which similar requests move at once. A single request may be slow while what it needs is prepared, or the
 * machine is busy: see SlowKinds.
 */
const TIMES_MOVED = 3

type BudgetLimits = Pick<Limits, 'bodyBytes' | 'workMilliseconds'>

export class Budgets {
  readonly #threads: WorkThreads | undefined
  readonly #limits: BudgetLimits
  readonly #logger: Logger
  readonly #moved = new SlowKinds(TIMES_MOVED)

  /** Without `threads`, a request has its whole budget on the event loop. */
  constructor(threads: WorkThreads | undefined, limits: BudgetLimits, logger: Logger) {
    this.#threads = threads
    this.#limits = limits
    this.#logger = logger
  }

  /** Gives each request its budget. */
  readonly inBudget: Middleware = async (koa, next) => {
    // The main function of a work thread sets the budget itself.
    if (currentBudget() !== undefined) return next()
    const threads = this.#threads
    const budget = new Budget({
      canMove: threads !== undefined,
      readingMs: this.#limits.workMilliseconds,
      isAbandoned: () => koa.res.destroyed,
      tokenOf: () => holderOf(koa).token,
      cause: () => causeOf(koa),
      trace: () => traceIn(koa),
      spans: exchangeOf(koa).spans,
    })
    try {
      await withBudget(budget, next)
      if (koa.method === 'GET' && !this.#moved.isEmpty) this.#moved.wasShort(kindOf(koa))
    } catch (error) {
      if (threads === undefined || !(error instanceof OffloadRequired)) throw error
      const { method, _matchedRoute: route } = koa
      this.#logger.debug({ method, route, what: error.what }, 'a request goes to a work thread')
      // Only reads can be recognized by their address; writes differ by their body.
      if (method === 'GET' && error.what !== AS_BEFORE) this.#moved.wasLong(kindOf(koa))
      await answerInThread(koa, threads, this.#limits.bodyBytes, budget)
    } finally {
      const exchange = exchangeOf(koa)
      // A work thread has told its own part.
      exchange.stored = (exchange.stored ?? 0) + budget.stored
    }
  }

  /** After authentication: moves a request of a job at once, and one that is like ones that had to move. @throws OffloadRequired */
  readonly moveAsBefore: Middleware = (koa, next) => {
    if (actingUserOf(koa.req) !== undefined) requireWorkThread(AS_BEFORE)
    if (!this.#moved.isEmpty && koa.method === 'GET' && this.#moved.isSlow(kindOf(koa))) requireWorkThread(AS_BEFORE)
    return next()
  }
}

const AS_BEFORE = 'what requests like it took before'

/** The kind of a request: its clinic, its path, and the names of its parameters. */
const kindOf = (koa: KoaContext): string =>
  `${stateOf(koa).holder ?? ''} ${koa.path} ${Object.keys(koa.query).sort().join(' ')}`

const causeOf = (koa: KoaContext): Cause => ({
  id: requestIdOf(koa),
  ...present({ run: runOf(koa), call: callIdOf(koa) }),
})

async function answerInThread(koa: KoaContext, threads: WorkThreads, bodyBytes: number, budget: Budget): Promise<void> {
  const moved = hasBody(koa) ? await bytesToMove(koa, bodyBytes) : undefined
  // The transfer to the thread takes the bytes away.
  keepBeginning(koa)
  const headers = headersOf(koa, { isEncoded: moved?.isEncoded })
  const content = { headers, ...present({ body: moved?.bytes, faults: firedNow(budget) }) }
  const answer = await inThread(koa, threads, content, budget.reading)
  // The thread has repeated all that was done here before the move.
  replaceFacts(koa, answer.told)
  send(koa, answer)
}

/** Has a work thread answer a part of a request, as a request of its own to the same address. */
export async function answerPart(
  koa: KoaContext,
  threads: WorkThreads,
  { type, body }: { readonly type: string; readonly body: Uint8Array },
): Promise<ThreadAnswer> {
  const answer = await inThread(koa, threads, { headers: { ...headersOf(koa), 'content-type': type }, body }, 0)
  keepSpans(exchangeOf(koa).spans, answer.told.spans)
  return answer
}

async function inThread(
  koa: KoaContext,
  threads: WorkThreads,
  content: Pick<ThreadRequest, 'headers' | 'body' | 'faults'>,
  waited: number,
): Promise<ThreadAnswer> {
  const left = new AbortController()
  whenClosed(koa.res, () => left.abort(new BudgetError('left', 'its wait for a thread')))
  return await threads.answer(
    {
      // Content-Length must count contents in place of their markers, so the body is needed for HEAD too.
      method: koa.method === 'HEAD' ? 'GET' : koa.method,
      url: `${prefixOf(koa)}${koa.req.url ?? '/'}`,
      remoteAddress: koa.req.socket.remoteAddress ?? '',
      cause: causeOf(koa),
      trace: traceIn(koa),
      ...present({ user: actingUserOf(koa.req) }),
      ...content,
    },
    { ...holderOf(koa), signal: left.signal, waited },
  )
}

/** The clinic and token for which the request counts: see FairShares. */
function holderOf(koa: KoaContext): Pick<ThreadClient, 'clinic' | 'token'> {
  const { holder, user } = stateOf(koa)
  return { clinic: holder ?? '', token: user?.sub ?? '' }
}

const hasBody = ({ req: { headers } }: KoaContext): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** The body is complete, so its length is known, however it was sent, and it no longer holds contents. */
function headersOf(
  { req: { headers } }: KoaContext,
  { isEncoded = false }: { readonly isEncoded?: boolean | undefined } = {},
): ThreadRequest['headers'] {
  const { 'transfer-encoding': _chunked, 'content-length': _sent, expect: _expected, ...others } = headers
  const { 'content-encoding': _undone, ...plain } = others
  const kept = isEncoded ? others : plain
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Headers of one connection, or of the original request, which the thread's response must not replace. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id', 'x-correlation-id', 'traceresponse'],
])

function send(koa: KoaContext, { status, headers, body }: ThreadAnswer): void {
  koa.body = body.length === 0 ? null : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  koa.status = status
  for (const [name, value] of Object.entries(headers)) {
    if (!HOP_BY_HOP.has(name)) koa.set(name, typeof value === 'string' ? value : [...value])
  }
}
