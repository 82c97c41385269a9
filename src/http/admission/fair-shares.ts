/**
 * Fair shares: no clinic, token or address takes so much of the server that others notice. Requests beyond a share are
 * refused before their body is read; see docs/operating.md.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Limits } from '../../config.ts'
import { type ComponentHealth, loadOfQueue } from '../../isolation/fair-queue.ts'
import { stateOf, userOf } from '../exchange.ts'
import { whenClosed } from '../http-response.ts'
import { BodiesInFlight, bodyRoom } from './bodies-in-flight.ts'
import { EventLoopTurns } from './event-loop-turns.ts'
import { Share, type ShareLimits } from './share.ts'

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
  #turn({ res }: KoaContext, clinic: string, token: string): true | Promise<boolean> {
    if (this.#all.inFlight + this.#turns.waiting < FEW) return true
    return this.#turns.take({ clinic, token })?.then(() => !res.closed) ?? true
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
