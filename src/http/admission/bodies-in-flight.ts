/**
 * The memory for request bodies, which all requests share: a large body waits, unread, until there is room for it, and
 * is refused when that takes too long. Its room is kept until its response is ready, as its content is in memory for
 * that long.
 */
import type { ServerResponse } from 'node:http'
import { FhirError } from '../../fhir/outcome.ts'
import { BudgetError } from '../../isolation/budget.ts'
import { FairQueue, QueueFull } from '../../isolation/fair-queue.ts'
import { whenClosed } from '../connections.ts'
import { exceeded } from '../headers.ts'

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

export class BodiesInFlight {
  readonly #room: BodyRoom
  /** A queue whose slots are bytes. */
  readonly #queue: FairQueue

  constructor(room: BodyRoom) {
    this.#room = room
    const { total, perClinic, waiting } = room
    this.#queue = new FairQueue({
      ...{ slots: total, slotsPerClinic: perClinic, total: waiting },
      perClinic: Number.POSITIVE_INFINITY,
    })
  }

  /** Bytes of all bodies in flight. */
  get bytes(): number {
    return this.#queue.running
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  /** Milliseconds that the longest wait has lasted so far; 0 when there is none. */
  get oldestMs(): number {
    return this.#queue.oldestMs
  }

  /**
   * Waits until there is room for the body of a request. The room is released when the request ends or its client has
   * disconnected. A small body needs no room.
   * @param holder the clinic, or the address, for which the request counts
   * @param bytes at most; `shrinkTo` corrects it later
   * @throws FhirError 429 when the clinic has too many in flight, 503 when all clinics together have
   */
  async reserveFor(response: ServerResponse, holder: string, bytes: number): Promise<Reservation | undefined> {
    if (bytes <= SMALL) return undefined
    const left = new AbortController()
    whenClosed(response, () => left.abort())
    const reservation = await this.reserve(holder, bytes, left.signal)
    whenClosed(response, () => reservation.release())
    return reservation
  }

  /**
   * @param left aborted when the client has disconnected
   * @throws FhirError 429 when the clinic has too many in flight, 503 when all clinics together have
   * @throws BudgetError when the client disconnects before there is room
   */
  async reserve(clinic: string, bytes: number, left?: AbortSignal): Promise<Reservation> {
    try {
      const entrant = { clinic, token: '', signal: left, size: bytes }
      const release = await this.#queue.enter(entrant, this.#room.waitMs)
      return { shrinkTo: release, release: () => release() }
    } catch (error) {
      if (error instanceof QueueFull) throw this.#refusal(clinic, bytes)
      throw new BudgetError('left', 'its body')
    }
  }

  #refusal(clinic: string, bytes: number): FhirError {
    const { total, perClinic } = this.#room
    const [status, whose, most] =
      this.#queue.refusal(clinic, bytes).by === 'all'
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
