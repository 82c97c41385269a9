/** A limit on how much may come in a second: what is not used is saved up, as far as the bucket holds it. */
import { LRUCache } from 'lru-cache'

export interface Rate {
  /** Tokens that are added in a second. */
  readonly rate: number
  /** Tokens that the bucket holds: as many may be taken at once. */
  readonly burst: number
  /** Milliseconds after which tokens are added, all at once; absent: they are added continuously. */
  readonly step?: number
}

/** Times are milliseconds since 1970 UTC. */
export class TokenBucket {
  readonly #limit: Rate
  /** As of `#at`. */
  #tokens: number
  #at = 0

  constructor(limit: Rate) {
    this.#limit = limit
    this.#tokens = limit.burst
  }

  /** The tokens that are left; fewer than none after something that took more than there were. */
  left(now: number): number {
    const { rate, burst, step = 0 } = this.#limit
    const elapsed = Math.max(0, now - this.#at)
    if (elapsed < step) return this.#tokens
    this.#tokens = Math.min(burst, this.#tokens + (elapsed * rate) / 1000)
    this.#at = now
    return this.#tokens
  }

  /** Takes tokens where at least one is left. @returns whether it did */
  take(now: number, tokens = 1): boolean {
    if (this.left(now) < 1) return false
    this.spend(tokens)
    return true
  }

  spend(tokens: number): void {
    this.#tokens -= tokens
  }
}

/** Names whose buckets are kept: those used last. */
const COUNTED = 10_000

/** A bucket for each name, such as a clinic. One that was forgotten is full again. */
export class TokenBuckets {
  readonly #limitOf: (name: string) => Rate
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: COUNTED })

  constructor(limitOf: (name: string) => Rate) {
    this.#limitOf = limitOf
  }

  of(name: string): TokenBucket {
    const known = this.#buckets.get(name)
    if (known !== undefined) return known
    const bucket = new TokenBucket(this.#limitOf(name))
    this.#buckets.set(name, bucket)
    return bucket
  }
}
