/**
 * Fair shares: no clinic, token or address takes so much of the server that others notice. Requests beyond a share are
 * refused before their body is read, and those within it take turns on the event loop; see docs/operating.md.
 */

import type { Context as KoaContext, Middleware } from 'koa'
import type { Limits } from '../../config.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { type ComponentHealth, type Entrant, FairTurns, loadOfQueue } from '../../isolation/fair-queue.ts'
import { TokenBucket } from '../../isolation/token-bucket.ts'
import { whenClosed } from '../connections.ts'
import { exchangeOf, stateOf, userOf } from '../exchange.ts'
import { exceeded } from '../headers.ts'
import { BodiesInFlight, bodyRoom } from './bodies-in-flight.ts'

/** With fewer requests than this in flight, the next one starts at once. */
const FEW = 4
/** Shares of clinics and of addresses that are kept before unused ones are forgotten. */
const KEPT = 10_000

type FairLimits = Pick<
  Limits,
  'bodyBytes' | 'bodiesInFlightBytes' | 'requestsPerClinic' | 'requestsPerToken' | 'ratePerClinic' | 'ratePerToken'
>

export class FairShares {
  readonly #bodies: BodiesInFlight
  readonly #turns = new EventLoopTurns()
  readonly #clinics: Shares
  readonly #addresses: Shares
  readonly #ofToken: ShareLimits
  /** By the user of a token, which is one object while the token is remembered. */
  readonly #tokens = new WeakMap<object, Share>()
  readonly #all = new Share({ whose: 'all', name: 'all', inFlight: Number.POSITIVE_INFINITY, rate: 0 })
  #counted = 0
  #countedBefore = 0

  constructor(limits: FairLimits) {
    const { requestsPerClinic, requestsPerToken, ratePerClinic, ratePerToken } = limits
    this.#bodies = new BodiesInFlight(bodyRoom(limits.bodiesInFlightBytes, limits.bodyBytes))
    const ofClinic = { inFlight: requestsPerClinic, rate: ratePerClinic }
    this.#clinics = new Shares({ whose: 'this clinic', name: 'clinic', ...ofClinic })
    this.#addresses = new Shares({ whose: 'this address', name: 'address', ...ofClinic })
    this.#ofToken = { whose: 'this token', name: 'token', inFlight: requestsPerToken, rate: ratePerToken }
  }

  /** Whether no request has been counted since the last call, and none is in flight. */
  isQuiet(): boolean {
    const isQuiet = this.#counted === this.#countedBefore && this.#all.inFlight + this.#turns.waiting === 0
    this.#countedBefore = this.#counted
    return isQuiet
  }

  /** Load of the queues for the event loop and for the memory for bodies. */
  get loads(): readonly ComponentHealth[] {
    return [loadOfQueue('turns on the event loop', this.#turns), loadOfQueue('bodies in flight', this.#bodies)]
  }

  /** A client has connected to the server. */
  readonly connected = (): void => this.#turns.connectionAccepted()

  /**
   * For the paths that need no token: a request counts for the address of its client.
   * @param addressOf gives the IP address of the client of a request
   */
  ofAddress(addressOf: (koa: KoaContext) => string): Middleware {
    return async (koa, next) => {
      const address = `address ${addressOf(koa)}`
      if ((await this.#turn(koa, address, '')) === false) return
      this.#count(koa, address, [this.#all, this.#addresses.of(address)])
      return next()
    }
  }

  /** After authentication: a request counts for the clinic of its token, and for the token. */
  readonly ofUser: Middleware = (koa, next) => {
    const user = userOf(koa)
    this.#count(koa, user.clinic, [this.#all, this.#clinics.of(user.clinic), this.#shareOfToken(user)])
    return next()
  }

  /**
   * After authentication: the request continues when it is its turn on the event loop, unless its client has
   * disconnected. Requests that will be refused wait for it too: hundreds of refusals take long.
   */
  readonly inTurn: Middleware = (koa, next) => {
    const user = userOf(koa)
    const turn = this.#turn(koa, user.clinic, user.sub)
    return turn === true ? next() : turn.then((isHere) => (isHere ? next() : undefined))
  }

  /**
   * Counts the request for a further clinic: that of its call.
   * @throws FhirError 429
   */
  countFor(koa: KoaContext, clinic: string): void {
    this.#count(koa, clinic, [this.#clinics.of(clinic)])
  }

  /** @throws FhirError 429; then the request counts for no share */
  #count(koa: KoaContext, holder: string, shares: readonly Share[]): void {
    const now = Date.now()
    for (const share of shares) share.check(now)
    for (const share of shares) share.begin()
    this.#counted++
    Object.assign(stateOf(koa), { holder, bodies: this.#bodies })
    whenClosed(koa.res, () => {
      for (const share of shares) share.end()
    })
  }

  /** False when the client has disconnected meanwhile. */
  #turn(koa: KoaContext, clinic: string, token: string): true | Promise<boolean> {
    if (this.#all.inFlight + this.#turns.waiting < FEW) return true
    const since = performance.now()
    const turn = this.#turns.take({ clinic, token })
    if (turn === undefined) return true
    return turn.then(() => {
      exchangeOf(koa).waited = performance.now() - since
      return !koa.res.closed
    })
  }

  #shareOfToken(user: object): Share {
    const known = this.#tokens.get(user)
    if (known !== undefined) return known
    const share = new Share(this.#ofToken)
    this.#tokens.set(user, share)
    return share
  }
}

/** The shares of all clinics, or of all addresses. */
class Shares {
  readonly #limits: ShareLimits
  readonly #shares = new Map<string, Share>()

  constructor(limits: ShareLimits) {
    this.#limits = limits
  }

  of(key: string): Share {
    const known = this.#shares.get(key)
    if (known !== undefined) return known
    if (this.#shares.size >= KEPT) this.#forgetIdle()
    const share = new Share(this.#limits)
    this.#shares.set(key, share)
    return share
  }

  #forgetIdle(): void {
    const now = Date.now()
    for (const [key, share] of this.#shares) if (share.isIdle(now)) this.#shares.delete(key)
  }
}

interface ShareLimits {
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

/** The share of one clinic, one token or one address: requests in flight, and requests per second. */
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

/** Milliseconds of work between two checks for arrivals; a request that starts may add its own. */
const TURN_MS = 5
/**
 * Most requests that start at once among those that arrive together: a client may send dozens before it waits for a
 * response, and most of their work is done only after all have started, so that their time is not a measure.
 */
const TOGETHER = 4

/**
 * Node accepts one connection in a round of the event loop (https://github.com/libuv/libuv/pull/3696). Between two
 * turns further ones are accepted, up to a number and a time in milliseconds, as rounds may be long: connections that
 * arrive together do not wait for the work of all before them.
 */
const ACCEPTED_BETWEEN = 16
const ACCEPTING_MS = 4

/**
 * Turns on the event loop. Node runs all requests that have arrived before it looks for new ones; where they are many,
 * those of one clinic would delay the next request of another. Here some of them wait, and between two turns the loop
 * accepts new arrivals: the clinic with the fewest requests goes first.
 */
export class EventLoopTurns {
  readonly #turnMs: number
  readonly #turns = new FairTurns((begin) => this.#whenAccepted(begin))
  /** Connections of this round of the loop and the one before it. */
  #accepted = 0
  /** As of performance.now(); undefined until a request begins one. */
  #since: number | undefined
  /** Since promises were looked after, which is between any two connections. */
  #begun = 0

  constructor(turnMs = TURN_MS) {
    this.#turnMs = turnMs
  }

  get waiting(): number {
    return this.#turns.waiting
  }

  get oldestMs(): number {
    return this.#turns.oldestMs
  }

  /** Undefined: the request may start at once. */
  take(entrant: Entrant): Promise<void> | undefined {
    const isFree = !this.#turns.isTaken && this.#accepted === 0
    return isFree && this.#hasTime() && this.#isOneOfFew() ? undefined : this.#turns.next(entrant)
  }

  /** Others that have arrived may have to be accepted before the next turn. */
  connectionAccepted(): void {
    this.#accepted += 1
    const forget = () => {
      this.#accepted -= 1
    }
    setImmediate(() => setImmediate(forget))
  }

  #whenAccepted(begin: () => void, rounds = 1, since = performance.now()): void {
    setImmediate(() => {
      const isLong = rounds === ACCEPTED_BETWEEN || performance.now() - since > ACCEPTING_MS
      if (this.#accepted === 0 || isLong) begin()
      else this.#whenAccepted(begin, rounds + 1, since)
    })
  }

  #isOneOfFew(): boolean {
    if (this.#begun === 0) {
      queueMicrotask(() => {
        this.#begun = 0
      })
    }
    this.#begun += 1
    return this.#begun <= TOGETHER
  }

  #hasTime(): boolean {
    const now = performance.now()
    if (this.#since === undefined) {
      this.#since = now
      setImmediate(() => {
        this.#since = undefined
      })
    }
    return now - this.#since < this.#turnMs
  }
}
