/**
 * The share of one clinic, one token or one address: requests in flight, and requests per second. Excess requests get
 * 429.
 */
import { FhirError } from '../../fhir/outcome.ts'
import { TokenBucket } from '../../isolation/token-bucket.ts'

export interface ShareLimits {
  /** The owner of the share, in messages to the client, such as `this clinic`. */
  readonly whose: string
  /** The name of the share in header fields. */
  readonly name: string
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests per second, of which `BURST_SECONDS` may come at once; 0: no limit. */
  readonly rate: number
}

/** Seconds of its rate that an idle share saves up, and after which it is forgotten. */
const BURST_SECONDS = 10
/** Retry-After where too many requests are in flight: one may end at any moment. */
const RETRY_SECONDS = 1

export class Share {
  readonly #limits: ShareLimits
  readonly #bucket: TokenBucket
  #inFlight = 0

  constructor(limits: ShareLimits) {
    this.#limits = limits
    this.#bucket = new TokenBucket({ rate: limits.rate, burst: limits.rate * BURST_SECONDS })
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether the share can be forgotten without loss. */
  isIdle(now: number): boolean {
    return this.#inFlight === 0 && this.#bucket.left(now) >= this.#limits.rate * BURST_SECONDS
  }

  /** @throws FhirError 429 */
  check(now: number): void {
    if (this.#inFlight >= this.#limits.inFlight) throw this.#tooManyInFlight()
    if (this.#limits.rate === 0) return
    const left = this.#bucket.left(now)
    if (left < 1) throw this.#tooFast(left)
  }

  begin(): void {
    this.#inFlight++
    if (this.#limits.rate > 0) this.#bucket.spend(1)
  }

  end(): void {
    this.#inFlight--
  }

  #tooManyInFlight(): FhirError {
    const { whose, name, inFlight } = this.#limits
    return tooMany(
      `Concurrency limit reached: ${inFlight} requests of ${whose} are in progress; wait for responses before sending more`,
      exceeded(name, { most: inFlight, of: 'concurrent-requests' }, RETRY_SECONDS),
    )
  }

  #tooFast(left: number): FhirError {
    const { whose, name, rate } = this.#limits
    const seconds = Math.ceil((1 - left) / rate)
    return tooMany(
      `The requests of ${whose} are more than ${rate} a second; send the next in ${seconds} s`,
      exceeded(name, { most: rate * BURST_SECONDS, perSeconds: BURST_SECONDS }, seconds),
    )
  }
}

const tooMany = (diagnostics: string, headers: Readonly<Record<string, string>>): FhirError =>
  new FhirError(429, { code: 'throttled', diagnostics: `${diagnostics}; nothing was changed` }, headers)

/** A quota: a number in a unit of the draft, or requests within a number of seconds. */
type Quota =
  | { readonly most: number; readonly of: 'concurrent-requests' | 'content-bytes' }
  | { readonly most: number; readonly perSeconds: number }

/**
 * The header fields of a response 429: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10.
 * @param name of the share
 * @param seconds until the client may retry
 */
export const exceeded = (name: string, quota: Quota, seconds: number): Readonly<Record<string, string>> => ({
  'retry-after': String(seconds),
  'ratelimit-policy': `"${name}";q=${quota.most};${'of' in quota ? `qu="${quota.of}"` : `w=${quota.perSeconds}`}`,
  ratelimit: `"${name}";r=0;t=${seconds}`,
})
