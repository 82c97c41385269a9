/**
 * The share of one clinic, one token or one address: requests in flight, and requests per second. Excess requests get
 * 429.
 */
import { FhirError } from '../../fhir/outcome.ts'

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
  #inFlight = 0
  /** Requests that may come at once, as of `#since`. */
  #tokens: number
  /** Milliseconds since 1970 UTC. */
  #since = 0

  constructor(limits: ShareLimits) {
    this.#limits = limits
    this.#tokens = limits.rate * BURST_SECONDS
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether the share can be forgotten without loss. */
  isIdle(now: number): boolean {
    return this.#inFlight === 0 && now - this.#since > BURST_SECONDS * 1000
  }

  /** @throws FhirError 429 */
  check(now: number): void {
    if (this.#inFlight >= this.#limits.inFlight) throw this.#tooManyInFlight()
    if (this.#limits.rate === 0) return
    this.#refill(now)
    if (this.#tokens < 1) throw this.#tooFast()
  }

  begin(): void {
    this.#inFlight++
    if (this.#limits.rate > 0) this.#tokens--
  }

  end(): void {
    this.#inFlight--
  }

  #refill(now: number): void {
    const { rate } = this.#limits
    const earned = (Math.max(0, now - this.#since) * rate) / 1000
    this.#tokens = Math.min(rate * BURST_SECONDS, this.#tokens + earned)
    this.#since = now
  }

  #tooManyInFlight(): FhirError {
    const { whose, name, inFlight } = this.#limits
    return tooMany(
      `Concurrency limit reached: ${inFlight} requests of ${whose} are in progress; wait for responses before sending more`,
      exceeded(name, { most: inFlight, of: 'concurrent-requests' }, RETRY_SECONDS),
    )
  }

  #tooFast(): FhirError {
    const { whose, name, rate } = this.#limits
    const seconds = Math.ceil((1 - this.#tokens) / rate)
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
