/**
 * Turns on the event loop. Node runs all requests that have arrived before it looks for new ones; where they are many,
 * those of one clinic would delay the next request of another. Here some of them wait, and between two turns the loop
 * accepts new arrivals: the clinic with the fewest requests goes first.
 */
import { type Entrant, FairTurns } from '../../isolation/fair-queue.ts'

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
