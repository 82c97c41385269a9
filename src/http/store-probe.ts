/** Probes the store now and then, and never waits long for its reply. */
import type { ComponentHealth } from '../isolation/fair-queue.ts'

/** Milliseconds for which a result is reused. */
const GOOD_FOR = 1_000
/** Milliseconds that a caller waits for a new result. */
const PATIENCE = 50
/** Milliseconds without a reply after which the store counts as lost. */
const LOST_AFTER = 2_000

export class StoreProbe {
  readonly #ask: () => Promise<unknown>
  /** Milliseconds, as of performance.now(). */
  #askedAt = 0
  #answer: Promise<void> | undefined
  #last: { readonly at: number; readonly isGood: boolean } | undefined

  /** @param ask rejects when the store does not answer */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask
  }

  /** Within a moment, also where the store is silent. */
  async load(): Promise<ComponentHealth> {
    if (this.#answer === undefined && !this.#isFresh()) this.#begin()
    if (this.#answer !== undefined) await atMost(PATIENCE, this.#answer)
    const waits = this.#answer !== undefined
    const oldestMs = waits ? Math.round(performance.now() - this.#askedAt) : 0
    return { name: 'database', state: this.#stateAfter(oldestMs), waiting: waits ? 1 : 0, oldestMs }
  }

  #stateAfter(oldestMs: number): ComponentHealth['state'] {
    if (this.#last?.isGood === false || oldestMs > LOST_AFTER) return 'down'
    return this.#answer === undefined ? 'ok' : 'behind'
  }

  #isFresh(): boolean {
    return this.#last !== undefined && performance.now() - this.#last.at < GOOD_FOR
  }

  #begin(): void {
    this.#askedAt = performance.now()
    const ended = (isGood: boolean) => {
      this.#answer = undefined
      this.#last = { at: performance.now(), isGood }
    }
    this.#answer = this.#ask().then(
      () => ended(true),
      () => ended(false),
    )
  }
}

/** Resolves when `work` does, or when the time is up. */
async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
