/**
 * Turns on the event loop. Node runs all requests that have arrived before it looks for new ones; where they are many,
 * those of one clinic would hold up the next request of another one. Here a part of them waits, and between one and the
 * next the loop takes in what has arrived: the clinic that has the fewest goes first.
 */
import { type Entrant, FairTurns } from '../../isolation/fair-queue.ts'

/** Milliseconds of work between two looks at what has arrived; a request that begins may add its own. */
const TURN_MS = 5
/**
 * Requests that begin at once of those that arrive together: a client may send dozens before it waits for an answer, and most
 * of their work is done only when all have begun, so that the time does not tell.
 */
const TOGETHER = 4

/**
 * Node accepts one connection in a round of the event loop (https://github.com/libuv/libuv/pull/3696). So that those that
 * arrive together do not wait for the work of all before them, more of them are accepted between one turn and the next: so
 * many, or for so many milliseconds, as rounds may be long.
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

  /** Undefined: the request may begin at once. */
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
