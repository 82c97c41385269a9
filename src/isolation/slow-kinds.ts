/**
 * The kinds of work that have lately been too long for the event loop, so that the next of the kind does not waste its
 * allowance there.
 */
import { LRUCache } from 'lru-cache'

/** Milliseconds after which a kind is tried again. */
const REMEMBERED = 10_000
const MAX_KINDS = 1_000

interface Kind {
  /** The number of times it was long, minus those it was short. */
  readonly surplus: number
  /** When it was last long, milliseconds since 1970 UTC. */
  readonly at: number
}

export class SlowKinds {
  readonly #times: number
  readonly #kinds = new LRUCache<string, Kind>({ max: MAX_KINDS })

  /**
   * @param times how many more times work of a kind must have been long than short before the next is taken to be long
   */
  constructor(times: number) {
    this.#times = times
  }

  /** True while no kind is known to be slow. */
  get isEmpty(): boolean {
    return this.#kinds.size === 0
  }

  isSlow(kind: string): boolean {
    const known = this.#kinds.get(kind)
    return known !== undefined && known.surplus >= this.#times && Date.now() < known.at + REMEMBERED
  }

  wasLong(kind: string): void {
    const before = this.#kinds.get(kind)?.surplus ?? 0
    this.#kinds.set(kind, { surplus: Math.min(this.#times, before + 1), at: Date.now() })
  }

  wasShort(kind: string): void {
    const known = this.#kinds.get(kind)
    if (known === undefined) return
    if (known.surplus === 1) this.#kinds.delete(kind)
    else this.#kinds.set(kind, { ...known, surplus: known.surplus - 1 })
  }
}
