/**
 * Turns on the event loop. Node runs all requests that have arrived before it looks for new ones; where they are many,
 * those of one clinic would hold up the next request of another one. Here a part of them waits, and between one and the
 * next the loop takes in what has arrived: the clinic that has the fewest goes first.
 */
import type { Entrant } from '../../budget/fair-queue.ts'
import { FairTurns } from '../../budget/fair-turns.ts'

/** Milliseconds of work between two looks at what has arrived; a request that begins may add its own. */
const TURN_MS = 5
/**
 * Requests that begin at once of those that arrive together: a client may send dozens before it waits for an answer, and most
 * of their work is done only when all have begun, so that the time does not tell.
 */
const TOGETHER = 4

export class EventLoopTurns {
  readonly #turnMs: number
  readonly #turns = new FairTurns()
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

  /** Undefined: the request may begin at once. */
  take(entrant: Entrant): Promise<void> | undefined {
    return !this.#turns.isTaken && this.#hasTime() && this.#isOneOfFew() ? undefined : this.#turns.next(entrant)
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
