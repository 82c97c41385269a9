/** What is missing where something is recorded beside the requests: how much of each clinic, between when and when, and why. */

export interface Gap {
  readonly clinic: string
  /** The reason, as the end of a sentence. */
  readonly why: string
  /** Milliseconds since 1970 UTC. */
  readonly from: number
  readonly to: number
  /** How many. */
  readonly count: number
}

export class Gaps {
  readonly #between: number
  #gaps = new Map<string, Gap>()
  #takenAt = Number.NEGATIVE_INFINITY

  /** @param between milliseconds between two times at which they are told of */
  constructor(between: number) {
    this.#between = between
  }

  /** How much is missing that nothing tells of yet. */
  get count(): number {
    return this.#gaps.values().reduce((sum, { count }) => sum + count, 0)
  }

  /** @param why the reason, as the end of a sentence */
  add(clinic: string, at: number, why: string): void {
    const key = `${clinic} ${why}`
    const { from = at, count = 0 } = this.#gaps.get(key) ?? {}
    this.#gaps.set(key, { clinic, why, from, to: at, count: count + 1 })
  }

  /**
   * Those that are to be told of now. While more and more is missing, there are a few of them rather than one for each write.
   * @param now milliseconds since 1970 UTC
   * @param isLast there will be no later time to tell of them
   */
  take(now: number, isLast: boolean): readonly Gap[] {
    if (this.#gaps.size === 0 || (now - this.#takenAt < this.#between && !isLast)) return []
    this.#takenAt = now
    const gaps = [...this.#gaps.values()]
    this.#gaps = new Map()
    return gaps
  }
}
