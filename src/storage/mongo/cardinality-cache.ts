/**
 * What a process remembers of how much its searches find, so that it need not count before every one of them. Only
 * speed depends on it: a wrong memory makes a search slower, never wrong.
 */

/** After so many counts in a row that were small, a kind of search is trusted to go on finding few. */
const TRUSTED_AFTER = 8
/** Then it is counted again. */
const TRUSTED_FOR = 512
const MOST_REMEMBERED = 10_000

interface Memory {
  /** Small counts in a row. */
  readonly counts: number
  readonly uses: number
  /** The greatest of them. */
  readonly size: number
}

const NOTHING: Memory = { counts: 0, uses: 0, size: 0 }

export class Habits {
  readonly #memories = new Map<string, Memory>()

  /** How much searches of this kind have found of late; undefined: that has to be counted. */
  sizeOf(kind: string): number | undefined {
    const memory = this.#memories.get(kind)
    if (memory === undefined || memory.counts < TRUSTED_AFTER || memory.uses >= TRUSTED_FOR) return undefined
    this.#memories.set(kind, { ...memory, uses: memory.uses + 1 })
    return memory.size
  }

  /** @param size undefined: too many to be counted */
  learn(kind: string, size: number | undefined): void {
    if (this.#memories.size >= MOST_REMEMBERED) this.#memories.clear()
    const { counts, size: before } = this.#memories.get(kind) ?? NOTHING
    const memory = size === undefined ? NOTHING : { counts: counts + 1, uses: 0, size: Math.max(before, size) }
    this.#memories.set(kind, memory)
  }
}
