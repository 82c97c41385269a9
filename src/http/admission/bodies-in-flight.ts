/**
 * The memory for request bodies, which all requests share: a large body waits, unread, until there is room for it, and
 * is refused when that takes too long. Its room is kept until its response is ready, as its content is in memory for
 * that long.
 */
import type { Context as KoaContext } from 'koa'
import { FhirError } from '../../fhir/outcome.ts'
import { BudgetError } from '../../isolation/budget.ts'
import { exceeded } from './share.ts'

export interface BodyRoom {
  /** Bytes of all bodies in flight. */
  readonly total: number
  /** Bytes of all bodies of one clinic: less than the total, so that others find room too. */
  readonly perClinic: number
  /** Bodies that wait. */
  readonly waiting: number
  /** Milliseconds that a body waits at most. */
  readonly waitMs: number
}

/** Largest body, in bytes, that is not counted: such bodies are bounded by the number of requests in flight. */
const SMALL = 64 * 1024

const WAITING = 256
const WAIT_MS = 1_500

/**
 * @param total bytes
 * @param largest bytes of the largest body
 */
export const bodyRoom = (total: number, largest: number): BodyRoom => ({
  total: Math.max(total, largest),
  // Another body of the largest size fits beside those of any clinic.
  perClinic: Math.max(total - largest, largest),
  waiting: WAITING,
  waitMs: WAIT_MS,
})

/** Room for one body. */
export interface Reservation {
  /** Gives back what the body turned out not to need. */
  shrinkTo(bytes: number): void
  /** Gives the rest back. Further calls do nothing. */
  release(): void
}

interface Waiting {
  readonly clinic: string
  readonly bytes: number
  /** Milliseconds, as of performance.now(). */
  readonly since: number
  readonly admit: () => void
}

export class BodiesInFlight {
  readonly #room: BodyRoom
  readonly #held = new Map<string, number>()
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()
  #bytes = 0

  constructor(room: BodyRoom) {
    this.#room = room
  }

  /** Bytes of all bodies in flight. */
  get bytes(): number {
    return this.#bytes
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Milliseconds that the longest wait has lasted so far; 0 when there is none. */
  get oldestMs(): number {
    for (const { since } of this.#waiting) return performance.now() - since
    return 0
  }

  /**
   * Waits until there is room for the body of a request. The room is released when the request ends or its client has
   * disconnected. A small body needs no room.
   * @param bytes at most; `shrinkTo` corrects it later
   * @throws FhirError 429 when the clinic has too many in flight, 503 when all clinics together have
   */
  async reserveFor({ res, state }: Pick<KoaContext, 'res' | 'state'>, bytes: number): Promise<Reservation | undefined> {
    if (bytes <= SMALL) return undefined
    const left = new AbortController()
    res.once('close', () => left.abort())
    const reservation = await this.reserve(state.holder ?? '', bytes, left.signal)
    res.once('close', () => reservation.release())
    return reservation
  }

  /**
   * @param left aborted when the client has disconnected
   * @throws FhirError 429 when the clinic has too many in flight, 503 when all clinics together have
   * @throws BudgetError when the client disconnects before there is room
   */
  async reserve(clinic: string, bytes: number, left?: AbortSignal): Promise<Reservation> {
    await this.#wait(clinic, bytes, left)
    let held = bytes
    const shrinkTo = (rest: number): void => {
      if (rest >= held) return
      this.#hold(clinic, rest - held)
      held = rest
      this.#admit()
    }
    return { shrinkTo, release: () => shrinkTo(0) }
  }

  async #wait(clinic: string, bytes: number, left: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const body: Waiting = { clinic, bytes, since: performance.now(), admit: resolve }
    this.#waiting.add(body)
    this.#admit()
    if (!this.#waiting.has(body)) return
    const giveUp = (error: Error) => {
      this.#waiting.delete(body)
      this.#admit()
      reject(error)
    }
    const leave = () => giveUp(new BudgetError('left', 'its body'))
    const refuse = () => giveUp(this.#refusal(body))
    const timer = setTimeout(refuse, this.#room.waitMs).unref()
    left?.addEventListener('abort', leave, { once: true })
    if (this.#waiting.size > this.#room.waiting) refuse()
    await promise.finally(() => {
      clearTimeout(timer)
      left?.removeEventListener('abort', leave)
    })
  }

  /** Admits all bodies for which there is room. */
  #admit(): void {
    for (let next = this.#next(); next !== undefined && this.#fits(next); next = this.#next()) {
      this.#waiting.delete(next)
      this.#hold(next.clinic, next.bytes)
      next.admit()
    }
  }

  /**
   * The next body: among those within their clinic's share, the first one of the clinic that holds the least. It goes
   * before smaller ones that would fit, as a large body might wait for ever otherwise.
   */
  #next(): Waiting | undefined {
    let next: Waiting | undefined
    for (const body of this.#waiting) {
      const isBefore = next === undefined || this.#heldBy(body.clinic) < this.#heldBy(next.clinic)
      if (isBefore && this.#isWithinShare(body)) next = body
    }
    return next
  }

  #fits({ bytes }: Waiting): boolean {
    return this.#bytes + bytes <= this.#room.total
  }

  #isWithinShare({ clinic, bytes }: Waiting): boolean {
    return this.#heldBy(clinic) + bytes <= this.#room.perClinic
  }

  #heldBy(clinic: string): number {
    return this.#held.get(clinic) ?? 0
  }

  #hold(clinic: string, change: number): void {
    const held = this.#heldBy(clinic) + change
    if (held === 0) this.#held.delete(clinic)
    else this.#held.set(clinic, held)
    this.#bytes += change
  }

  #refusal(body: Waiting): FhirError {
    const { total, perClinic } = this.#room
    const [status, whose, most] = this.#isWithinShare(body)
      ? [503, 'The bodies of requests under way', total]
      : [429, 'The bodies of requests of this clinic under way', perClinic]
    const diagnostics =
      `${whose} take all of the ${most} bytes of memory that there are for them; nothing was changed. ` +
      'Send fewer large bodies at once, or smaller ones'
    const headers =
      status === 429 ? exceeded('clinic-bodies', { most, of: 'content-bytes' }, 5) : { 'retry-after': '5' }
    return new FhirError(status, { code: 'throttled', diagnostics }, headers)
  }
}
