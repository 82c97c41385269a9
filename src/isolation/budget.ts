/**
 * The budget of a request: how much work it may cost, and whether that work may be done on the event loop. Code whose
 * work grows with what a client sends or has stored spends from it; see docs/adr/015-time-isolation.md.
 *
 * A request begins on the event loop with a small allowance. When that is spent, OffloadRequired ends it, before it has
 * written anything, and it restarts in a worker with the whole budget. When that is spent too, or the time of the
 * request is up, or its client has left, BudgetError ends it for good.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { childOf, type EndedSpan, type TraceContext } from './trace-context.ts'

/** Steps on the event loop. A step is about a microsecond of JavaScript. */
const EVENT_LOOP_STEPS = 10_000

/** Steps of a whole request. */
const REQUEST_STEPS = 8_000_000

/** Steps for writing a response that must be sent, since the work that it reports has been done. */
const ANSWER_STEPS = 1_000_000

/** See BudgetSettings.readingMs. */
const READING_MS = 8_000

/** Ends the work of a request. Code that catches errors must pass it on: see `rethrowBudgetError`. */
export class BudgetError extends Error {
  /** `left`: the client has left. */
  readonly reason: 'too costly' | 'too late' | 'left' | 'needs thread'
  /** Purpose of the work, as a noun phrase for the client: `the invariants of its profiles`. */
  readonly what: string

  constructor(reason: BudgetError['reason'], what: string) {
    super(`The budget of the request has ended at: ${what}`)
    this.name = 'BudgetError'
    this.reason = reason
    this.what = what
  }
}

/** The work would hold the event loop for too long: the request must restart in a worker. */
export class OffloadRequired extends BudgetError {
  constructor(what: string) {
    super('needs thread', what)
    this.name = 'OffloadRequired'
  }
}

export interface BudgetSettings {
  /** The request can restart in a worker. Otherwise it has its whole budget where it is. */
  readonly canMove: boolean
  /** Milliseconds since 1970 UTC by which the response must have been sent. */
  readonly endsAt?: number
  /** Milliseconds that it may wait for long reads of the store, all of them together; absent: 8,000. */
  readonly readingMs?: number
  /** True once the client has left. */
  readonly isAbandoned?: () => boolean
  /** Identifies the token of the request, or whatever else distinguishes the clients of one clinic. */
  readonly tokenOf?: () => string
  /** Called when the request is about to have an effect that must not happen twice. */
  readonly onEffect?: () => void
  readonly cause?: () => Cause
  /** The span to which the work belongs. */
  readonly trace?: () => TraceContext | undefined
  /** Receives the spans of its parts; absent: none is recorded. */
  readonly spans?: EndedSpan[] | undefined
}

export class Budget {
  /** Milliseconds since 1970 UTC. */
  readonly startedAt = Date.now()
  /** Milliseconds since 1970 UTC; infinite where the request has no limit. */
  readonly endsAt: number
  /** Absent in background work. */
  readonly cause: (() => Cause) | undefined
  /** Its request has met a fault of a rehearsal. */
  isFaulted = false
  /** The open run that its request has joined; it may do so in a work thread, after its cause was told. */
  run: string | undefined
  readonly spans: EndedSpan[] | undefined
  readonly #trace: (() => TraceContext | undefined) | undefined
  #part: TraceContext | undefined
  readonly #isAbandoned: () => boolean
  readonly #tokenOf: (() => string) | undefined
  readonly #onEffect: (() => void) | undefined
  #canMove: boolean
  readonly #readingMs: number
  #isAnswering = false
  #left: number
  #reading = 0
  #stored = 0
  #callsOfStore = 0
  #callsSince = 0

  constructor(settings: BudgetSettings) {
    const { canMove, endsAt = Number.POSITIVE_INFINITY, readingMs = READING_MS } = settings
    const { isAbandoned = never, tokenOf, onEffect } = settings
    this.endsAt = endsAt
    this.cause = settings.cause
    this.spans = settings.spans
    this.#trace = settings.trace
    this.#readingMs = readingMs
    this.#isAbandoned = isAbandoned
    this.#tokenOf = tokenOf
    this.#onEffect = onEffect
    this.#canMove = canMove
    this.#left = canMove ? EVENT_LOOP_STEPS : REQUEST_STEPS
  }

  /** The span in progress, to which what is sent now belongs. */
  get trace(): TraceContext | undefined {
    return this.#part ?? this.#trace?.()
  }

  /** @param part the span of a part that begins, or of what goes on where one ends */
  enter(part: TraceContext): void {
    this.#part = part
  }

  /** True while the request is on the event loop and can restart in a worker. */
  get canMove(): boolean {
    return this.#canMove
  }

  get isAbandoned(): boolean {
    return this.#isAbandoned()
  }

  /** Empty where it has no token, or none yet. */
  get token(): string {
    return this.#tokenOf?.() ?? ''
  }

  /** Milliseconds that it has waited for long reads so far. */
  get reading(): number {
    return this.#reading
  }

  /** The deadline of a read that begins now, milliseconds since 1970 UTC. */
  get readEndsAt(): number {
    return Math.min(this.endsAt, Date.now() + this.#readingMs - this.#reading)
  }

  /** Records the end of a long read. @param since when it began, milliseconds since 1970 UTC */
  hasReadSince(since: number): void {
    this.#reading += Math.max(0, Date.now() - since)
  }

  /** Milliseconds that it has waited for the store so far; calls at the same time count once. */
  get stored(): number {
    return this.#stored
  }

  storeIsCalled(): void {
    if (this.#callsOfStore++ === 0) this.#callsSince = performance.now()
  }

  storeHasResponded(): void {
    if (--this.#callsOfStore === 0) this.#stored += performance.now() - this.#callsSince
  }

  /** Keeps the request in this thread. Called before an effect that must not happen twice, such as a commit. */
  pinToThread(): void {
    this.#onEffect?.()
    if (!this.#canMove) return
    this.#canMove = false
    this.#left += REQUEST_STEPS - EVENT_LOOP_STEPS
  }

  /** Ensures that the response can be written. Called when the work has been done and stored. */
  allowAnswer(): void {
    if (this.#canMove) return
    this.#left = Math.max(this.#left, ANSWER_STEPS)
    this.#isAnswering = true
  }

  /**
   * @param what see BudgetError
   * @throws BudgetError
   */
  spend(steps: number, what: string): void {
    this.#left -= steps
    if (this.#left < 0) throw this.#canMove ? new OffloadRequired(what) : new BudgetError('too costly', what)
    this.check(what)
  }

  /** @throws BudgetError when the time is up, or the client has left */
  check(what: string): void {
    if (this.#isAnswering) return
    if (Date.now() > this.endsAt) throw new BudgetError('too late', what)
    if (this.#isAbandoned()) throw new BudgetError('left', what)
  }
}

const never = (): boolean => false

/** The request that pays, as it is named in requests to other systems that it causes. */
export interface Cause {
  readonly id: string
  readonly run?: string
  readonly call?: string
}

const current = new AsyncLocalStorage<Budget>()

/** Runs `work`; everything that it does or starts is paid for from `budget`. */
export const withBudget = <T>(budget: Budget, work: () => T): T => current.run(budget, work)

/**
 * Runs work that is not paid from the budget of the current request, and stays on this thread: others wait for it too, or
 * it may be much.
 * @param trace the trace that it belongs to
 */
export const unpaid = <T>(work: () => T, trace?: TraceContext): T =>
  withBudget(new Budget({ canMove: false, trace: () => trace }), work)

/** The budget of the current request; undefined outside requests. */
export const currentBudget = (): Budget | undefined => current.getStore()

const NOT_TRACED = { spans: undefined, trace: undefined }

/** Spans of its parts that a request keeps: a batch has many. */
const MAX_SPANS = 100

/** Adds the spans of a part that another thread has carried out, as many as are kept. */
export const keepSpans = (spans: EndedSpan[] | undefined, told: readonly EndedSpan[] = []): void =>
  void spans?.push(...told.slice(0, MAX_SPANS - spans.length))

/**
 * Does a part of the current request as a span of its own, where spans are recorded. Parts come one after the other.
 * @param attributesOf what it has come to; absent: it has thrown
 */
export async function inSpan<T>(
  name: string,
  work: () => Promise<T>,
  attributesOf: (result: T | undefined) => EndedSpan['attributes'] = () => ({}),
): Promise<T> {
  const budget = currentBudget()
  const { spans, trace: outer } = budget?.spans === undefined ? NOT_TRACED : budget
  if (spans === undefined || outer === undefined || spans.length >= MAX_SPANS) return work()
  const context = childOf(outer, randomUUID())
  const [at, since] = [Date.now(), performance.now()]
  let result: T | undefined
  budget?.enter(context)
  try {
    result = await work()
    return result
  } finally {
    budget?.enter(outer)
    spans.push({ name, context, at, duration: performance.now() - since, attributes: attributesOf(result) })
  }
}

/** Calls a function with its arguments outside the context of any request: the work it starts is part of none. */
export const forNoRequest = AsyncLocalStorage.snapshot()

/**
 * Pays for work that is about to be done, or was just done. In a loop, call it once every few hundred steps.
 * @param what see BudgetError
 * @throws BudgetError
 */
export const spend = (steps: number, what: string): void => current.getStore()?.spend(steps, what)

/**
 * Requires a worker. Called before work that can be neither metered nor interrupted, such as a client's regular
 * expression.
 * @throws OffloadRequired on the event loop
 */
export function requireWorkThread(what: string): void {
  if (current.getStore()?.canMove) throw new OffloadRequired(what)
}

/** Passes on a BudgetError, in code that turns errors into something else. @throws BudgetError when `error` is one */
export function rethrowBudgetError(error: unknown): void {
  if (error instanceof BudgetError) throw error
}

/** Steps paid at a time: a payment itself costs a few hundred nanoseconds. */
const STEPS_AT_A_TIME = 250

/** Collects small costs and pays them in larger amounts. */
export class Meter {
  readonly #what: string
  #owed = 0

  /** @param what see BudgetError */
  constructor(what: string) {
    this.#what = what
  }

  /** @throws BudgetError */
  pay(steps: number): void {
    this.#owed += steps
    if (this.#owed < STEPS_AT_A_TIME) return
    const owed = this.#owed
    this.#owed = 0
    spend(owed, this.#what)
  }
}

/** Milliseconds after which a kind of work that was too long for the event loop is tried again there. */
const REMEMBERED = 10_000
const MAX_KINDS = 1_000

interface Kind {
  /** The number of times it was long, minus those it was short. */
  readonly surplus: number
  /** When it was last long, milliseconds since 1970 UTC. */
  readonly at: number
}

/**
 * The kinds of work that have lately been too long for the event loop, so that the next of the kind does not waste its
 * allowance there.
 */
export class SlowKinds {
  readonly #times: number
  readonly #kinds = new LRUCache<string, Kind>({ max: MAX_KINDS })

  /**
   * @param times how many more times work of a kind must have been long than short before the next is taken to be long
   */
  constructor(times: number) {
    this.#times = times
  }

  /** True while no kind is known to be slow. */
  get isEmpty(): boolean {
    return this.#kinds.size === 0
  }

  isSlow(kind: string): boolean {
    const known = this.#kinds.get(kind)
    return known !== undefined && known.surplus >= this.#times && Date.now() < known.at + REMEMBERED
  }

  wasLong(kind: string): void {
    const before = this.#kinds.get(kind)?.surplus ?? 0
    this.#kinds.set(kind, { surplus: Math.min(this.#times, before + 1), at: Date.now() })
  }

  wasShort(kind: string): void {
    const known = this.#kinds.get(kind)
    if (known === undefined) return
    if (known.surplus === 1) this.#kinds.delete(kind)
    else this.#kinds.set(kind, { ...known, surplus: known.surplus - 1 })
  }
}

/**
 * Microseconds of processor time used by this thread: unlike the clock, it stands still while a busy machine runs other
 * work.
 */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
