/**
 * What a process remembers of how much its searches find, so that it need not count before every one of them. Only
 * speed depends on it: a wrong memory makes a search slower, never wrong.
 */

/** Counted as few so often in a row, a kind of search is trusted to go on finding few. */
const TRUSTED_AFTER = 8
/** Then it is counted again. */
const TRUSTED_FOR = 64
const MOST_REMEMBERED = 10_000

interface Memory {
  readonly streak: number
  readonly uses: number
}

export class Habits {
  private readonly memories = new Map<string, Memory>()

  /** True when searches of this kind have found few of late. */
  isFew(kind: string): boolean {
    const memory = this.memories.get(kind)
    if (memory === undefined || memory.streak < TRUSTED_AFTER || memory.uses >= TRUSTED_FOR) return false
    this.memories.set(kind, { ...memory, uses: memory.uses + 1 })
    return true
  }

  learn(kind: string, few: boolean): void {
    if (this.memories.size >= MOST_REMEMBERED) this.memories.clear()
    const streak = few ? (this.memories.get(kind)?.streak ?? 0) + 1 : 0
    this.memories.set(kind, { streak, uses: 0 })
  }
}
