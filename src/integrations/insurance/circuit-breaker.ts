/**
 * Spares callers the wait for a system that has just failed several times in a row: for a while it is not asked, and they
 * get at once what the last try gave. Then one request tries it, and the others go on as its try ends.
 */

/** Failures in a row, within WINDOW milliseconds, after which a system is not asked. */
export const FAILURES = 5
const WINDOW = 60_000
/** Milliseconds for which it is not asked; also those after which another request tries, should the one that did never end. */
export const PAUSE = 30_000
/** Systems that are remembered: the longest known are forgotten first. */
const MOST_SYSTEMS = 10_000

interface Failing<Failure> {
  readonly count: number
  /** Milliseconds since 1970 UTC of the first failure. */
  readonly since: number
  readonly last: Failure
  /** Milliseconds since 1970 UTC until which it is not asked. */
  readonly pausedUntil?: number
}

export class CircuitBreaker<Failure> {
  readonly #clock: () => number
  /** Systems that have failed since they last answered. */
  readonly #failing = new Map<string, Failing<Failure>>()

  /** @param clock milliseconds since 1970 UTC */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock
  }

  /** What the last try gave, where the system is not to be asked, and the milliseconds for which it is so. */
  refusal(system: string): { readonly last: Failure; readonly forMs: number } | undefined {
    const failing = this.#failing.get(system)
    const now = this.#clock()
    if (failing?.pausedUntil === undefined) return undefined
    if (failing.pausedUntil > now) return { last: failing.last, forMs: failing.pausedUntil - now }
    // This request tries it; the others wait for how that ends.
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
    this.#failing.delete(system)
    this.#failing.set(system, { count: count + 1, since, last, ...pausedUntil })
    const [oldest] = this.#failing.keys()
    if (this.#failing.size > MOST_SYSTEMS && oldest !== undefined) this.#failing.delete(oldest)
  }
}
