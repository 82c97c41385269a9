/**
 * Which reads have turned out to be long lately, so that the next ones like them do not spend the time that a read may
 * take on the event loop in vain.
 */

/** A kind of read is taken for long after it was long so many times more often than it was short. */
const TIMES = 3
/** Milliseconds after which it is tried again. */
const REMEMBERED = 10_000
/** When there are more kinds, all are forgotten. */
const MAX_KINDS = 1_000

interface Kind {
  /** How many times more often it was long than it was short. */
  readonly surplus: number
  /** When it was long the last time, milliseconds since 1970 UTC. */
  readonly at: number
}

export class LongReads {
  readonly #kinds = new Map<string, Kind>()

  /** False while no read has been long. */
  get isEmpty(): boolean {
    return this.#kinds.size === 0
  }

  isLong(kind: string): boolean {
    const known = this.#kinds.get(kind)
    return known !== undefined && known.surplus >= TIMES && Date.now() < known.at + REMEMBERED
  }

  wasLong(kind: string): void {
    const before = this.#kinds.get(kind)?.surplus ?? 0
    if (this.#kinds.size >= MAX_KINDS) this.#kinds.clear()
    this.#kinds.set(kind, { surplus: Math.min(TIMES, before + 1), at: Date.now() })
  }

  wasShort(kind: string): void {
    const known = this.#kinds.get(kind)
    if (known === undefined) return
    if (known.surplus === 1) this.#kinds.delete(kind)
    else this.#kinds.set(kind, { ...known, surplus: known.surplus - 1 })
  }
}
