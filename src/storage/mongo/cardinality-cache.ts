/**
 * Remembers how many resources a source has recently found, so that they need not be counted before every search. Only
 * speed depends on it: a wrong estimate makes a search slower, never wrong.
 */
import { LRUCache } from 'lru-cache'

/** After so many small counts in a row, the estimate replaces the count. */
const TRUSTED_AFTER = 8
/** After so many uses of the estimate, the resources are counted again. */
const TRUSTED_FOR = 512
const MAX_ENTRIES = 10_000

interface Entry {
  /** Small counts in a row. */
  readonly counts: number
  /** Uses of the estimate since the last count. */
  readonly uses: number
  /** The greatest of the small counts. */
  readonly greatest: number
}

const EMPTY: Entry = { counts: 0, uses: 0, greatest: 0 }

export class CardinalityCache {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES })

  /** An upper estimate for the sources of this key; undefined: they have to be counted. */
  estimate(key: string): number | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.counts < TRUSTED_AFTER || entry.uses >= TRUSTED_FOR) return undefined
    this.#entries.set(key, { ...entry, uses: entry.uses + 1 })
    return entry.greatest
  }

  /** @param count undefined: too many to be counted */
  add(key: string, count: number | undefined): void {
    const { counts, greatest } = this.#entries.get(key) ?? EMPTY
    const entry = count === undefined ? EMPTY : { counts: counts + 1, uses: 0, greatest: Math.max(greatest, count) }
    this.#entries.set(key, entry)
  }
}
