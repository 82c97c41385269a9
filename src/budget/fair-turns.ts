/**
 * Turns of the event loop that are shared fairly: in each of them one goes on of all that wait, first that of the clinic that
 * has the fewest, and between one and the next the loop does other work. How many may wait is bounded by who uses it.
 */
import { type Entrant, FairQueue } from './fair-queue.ts'

/** Calls back when the next turn may begin. */
type UntilNext = (begin: () => void) => void

export class FairTurns {
  readonly #untilNext: UntilNext
  /** Its one slot is the present turn. */
  readonly #queue = new FairQueue({
    slots: 1,
    slotsPerClinic: 1,
    perClinic: Number.POSITIVE_INFINITY,
    total: Number.POSITIVE_INFINITY,
  })

  /** @param untilNext lets the loop do other work; absent: one round of it */
  constructor(untilNext: UntilNext = setImmediate) {
    this.#untilNext = untilNext
  }

  /** Somebody has the present turn. */
  get isTaken(): boolean {
    return this.#queue.running > 0
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  get oldestMs(): number {
    return this.#queue.oldestMs
  }

  /** Resolves in the turn of the entrant. */
  async next(entrant: Entrant): Promise<void> {
    this.#untilNext(await this.#queue.enter(entrant))
  }
}
