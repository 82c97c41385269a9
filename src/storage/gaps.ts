/**
 * Gaps in a recording, such as the audit trail: per clinic and reason, how many items were lost, and between which
 * times.
 */

export interface Gap {
  readonly clinic: string
  /** The reason, as the end of a sentence. */
  readonly why: string
  /** Milliseconds since 1970 UTC. */
  readonly from: number
  readonly to: number
  /** Number of lost items. */
  readonly count: number
}

export class Gaps {
  readonly #between: number
  #gaps = new Map<string, Gap>()
  #takenAt = Number.NEGATIVE_INFINITY

  /** @param between least milliseconds between two reports of gaps */
  constructor(between: number) {
    this.#between = between
  }

  /** Number of lost items not yet reported. */
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
   * The gaps to be reported now. While losses continue they are reported at intervals, rather than once for each write.
   * @param now milliseconds since 1970 UTC
   * @param isLast there will be no later report
   */
  take(now: number, isLast: boolean): readonly Gap[] {
    if (this.#gaps.size === 0 || (now - this.#takenAt < this.#between && !isLast)) return []
    this.#takenAt = now
    const gaps = [...this.#gaps.values()]
    this.#gaps = new Map()
    return gaps
  }
}
