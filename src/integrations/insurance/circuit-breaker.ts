/**
 * Spares callers the wait for a system that has just failed several times in a row: during a pause they get the last
 * failure at once. Then one request tries the system, and its result decides for the others.
 */
import { LRUCache } from 'lru-cache'

/** Failures in a row, within WINDOW milliseconds, after which a system is paused. */
export const FAILURES = 5
const WINDOW = 60_000
/** Milliseconds of a pause; also those after which another request may try, should the first one never end. */
export const PAUSE = 30_000
/** Most systems that are remembered. */
const MOST_SYSTEMS = 10_000

interface Failing<Failure> {
  readonly count: number
  /** Milliseconds since 1970 UTC of the first failure. */
  readonly since: number
  readonly last: Failure
  /** Milliseconds since 1970 UTC until which it is paused. */
  readonly pausedUntil?: number
}

export class CircuitBreaker<Failure> {
  readonly #clock: () => number
  /** Systems that have failed since their last success. */
  readonly #failing = new LRUCache<string, Failing<Failure>>({ max: MOST_SYSTEMS })

  /** @param clock milliseconds since 1970 UTC */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock
  }

  /** The last failure of a paused system, and the remaining milliseconds of its pause. */
  refusal(system: string): { readonly last: Failure; readonly forMs: number } | undefined {
    const failing = this.#failing.get(system)
    const now = this.#clock()
    if (failing?.pausedUntil === undefined) return undefined
    if (failing.pausedUntil > now) return { last: failing.last, forMs: failing.pausedUntil - now }
    // This request tries the system; the others wait for its result.
    this.#failing.set(system, { ...failing, pausedUntil: now + PAUSE })
    return undefined
  }

  succeeded(system: string): void {
    this.#failing.delete(system)
  }

  failed(system: string, last: Failure): void {
    const now = this.#clock()
    const known = this.#failing.get(system)
    const isRow = known !== undefined && (known.pausedUntil !== undefined || now - known.since <= WINDOW)
    const { count, since } = isRow ? known : { count: 0, since: now }
    const pausedUntil = count + 1 >= FAILURES ? { pausedUntil: now + PAUSE } : {}
    this.#failing.set(system, { count: count + 1, since, last, ...pausedUntil })
  }
}
