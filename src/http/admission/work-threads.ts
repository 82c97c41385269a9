/**
 * Requests that would hold the event loop for too long are answered by a work thread: the same server without a socket.
 * What has begun on the event loop ends there with OffloadRequired, before it has written anything, and begins again in the
 * thread with its headers and the bytes of its body. See docs/adr/015-time-isolation.md.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import type { Limits } from '../../config.ts'
import {
  Budget,
  BudgetError,
  currentBudget,
  OffloadRequired,
  requireWorker,
  withBudget,
} from '../../isolation/budget.ts'
import { SlowKinds } from '../../isolation/slow-kinds.ts'
import { type Cause, causedBy } from '../../record/journal/cause.ts'
import { type ExchangeFacts, replaceFacts } from '../exchange.ts'
import { whenClosed } from '../http-response.ts'
import { receivedBytes } from '../message/body.ts'
import { keepBeginning } from '../message/seen-body.ts'
import { callIdOf, requestIdOf, runOf } from '../request-ids.ts'
import type { User } from '../token.ts'

/** A request as it is sent to a thread. */
export interface ThreadRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Absent where the request has none. */
  readonly body?: Uint8Array
  readonly remoteAddress: string
  /** What it brings about is known by this. */
  readonly cause: Cause
}

export interface ThreadAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array
  /** What was done. */
  readonly told: ExchangeFacts
}

/** Whose request it is: threads are shared fairly. */
export interface ThreadClient {
  readonly clinic: string
  readonly token: string
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  /** Milliseconds that it has waited for what the request read before. */
  readonly waited: number
}

/** The threads, as src/main/work-threads.ts implements them. */
export interface WorkThreads {
  /** @throws BudgetError when the request takes too long, QueueFull when too many wait, StoreUnavailable when the thread dies */
  answer(request: ThreadRequest, client: ThreadClient): Promise<ThreadAnswer>
}

/** A request may be long for once, while what it needs is prepared, or the machine is busy: see SlowKinds. */
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
    // In a work thread, whoever runs it has set the budget.
    if (currentBudget() !== undefined) return next()
    const threads = this.#threads
    const budget = new Budget({
      canMove: threads !== undefined,
      readingMs: this.#limits.workMilliseconds,
      isAbandoned: () => koa.res.destroyed,
      tokenOf: () => holderOf(koa).token,
    })
    causedBy(budget, () => causeOf(koa))
    try {
      await withBudget(budget, next)
      if (koa.method === 'GET' && !this.#moved.isEmpty) this.#moved.wasShort(kindOf(koa))
    } catch (error) {
      if (threads === undefined || !(error instanceof OffloadRequired)) throw error
      const { method, _matchedRoute: route } = koa
      this.#logger.debug({ method, route, what: error.what }, 'a request goes to a work thread')
      // Only reads are told apart by their address; what is written differs by its body.
      if (method === 'GET' && error.what !== AS_BEFORE) this.#moved.wasLong(kindOf(koa))
      await answerInThread(koa, threads, this.#limits.bodyBytes, budget.reading)
    }
  }

  /** After authentication: what is like requests that had to move goes to a thread at once. @throws OffloadRequired */
  readonly moveAsBefore: Middleware = (koa, next) => {
    if (!this.#moved.isEmpty && koa.method === 'GET' && this.#moved.isSlow(kindOf(koa))) requireWorker(AS_BEFORE)
    return next()
  }
}

const AS_BEFORE = 'what requests like it took before'

/** Of the same clinic, at the same path, with the same parameters, whatever their values. */
const kindOf = ({ state, path, query }: KoaContext): string =>
  `${state.holder ?? ''} ${path} ${Object.keys(query).sort().join(' ')}`

function causeOf(koa: KoaContext): Cause {
  const [run, call] = [runOf(koa), callIdOf(koa)]
  return { id: requestIdOf(koa), ...(run === undefined ? {} : { run }), ...(call === undefined ? {} : { call }) }
}

async function answerInThread(koa: KoaContext, threads: WorkThreads, bodyBytes: number, waited: number): Promise<void> {
  const body = hasBody(koa) ? await receivedBytes(koa, bodyBytes) : undefined
  // The thread takes the bytes away.
  keepBeginning(koa)
  const left = new AbortController()
  whenClosed(koa.res, () => left.abort(new BudgetError('left', 'its wait for a thread')))
  const answer = await threads.answer(
    {
      // Its length is that of what contents take the place of their markers in.
      method: koa.method === 'HEAD' ? 'GET' : koa.method,
      url: koa.req.url ?? '/',
      headers: headersOf(koa),
      remoteAddress: koa.req.socket.remoteAddress ?? '',
      cause: causeOf(koa),
      ...(body === undefined ? {} : { body }),
    },
    { ...holderOf(koa), signal: left.signal, waited },
  )
  // What it did here before it moved was begun again there.
  replaceFacts(koa, answer.told)
  send(koa, answer)
}

/** For whom the request counts: see FairShares. */
function holderOf({ state }: KoaContext): Pick<ThreadClient, 'clinic' | 'token'> {
  const user = state.user as User | undefined
  return { clinic: state.holder ?? '', token: user?.sub ?? '' }
}

const hasBody = ({ req: { headers } }: KoaContext): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** The body is complete, so its length is known, however it was sent; its contents are not in it any more. */
function headersOf({ req: { headers } }: KoaContext): ThreadRequest['headers'] {
  const { 'transfer-encoding': _chunked, 'content-length': _sent, expect: _expected, ...kept } = headers
  return Object.fromEntries(
    Object.entries(kept).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Of one connection, or of the request as it came, rather than of the answer. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id', 'x-correlation-id'],
])

function send(koa: KoaContext, { status, headers, body }: ThreadAnswer): void {
  koa.body = body.length === 0 ? null : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  koa.status = status
  for (const [name, value] of Object.entries(headers)) {
    if (!HOP_BY_HOP.has(name)) koa.set(name, typeof value === 'string' ? value : [...value])
  }
}
