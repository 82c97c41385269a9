/** Numbers of matching resources, a few minutes old at most: for estimates of how frequent something is. */
import { LRUCache } from 'lru-cache'

/** Milliseconds. */
const LIFETIME = 5 * 60_000
const MAX_COUNTS = 10_000
/** Below so many resources, as in a clinic's first days, counts are kept for a short time only. */
const FEW = 1_000

interface Count {
  readonly value: number
  readonly until: number
  /** True while it is being counted again. */
  isRenewed: boolean
}

export class RecentCounts {
  readonly #counts = new LRUCache<string, Count>({ max: MAX_COUNTS })

  /**
   * @param count counts now
   * @param whole the count of the whole of which this is a part, as last known; absent: this is the whole
   */
  async read(key: string, count: () => Promise<number>, whole?: number): Promise<number> {
    const now = Date.now()
    const known = this.#counts.get(key)
    if (known === undefined) return await this.#renew(key, count, whole)
    if (known.until > now) return known.value
    if (known.value < FEW) return await this.#renew(key, count, whole)
    // Counting many takes long, and the result changes little.
    if (!known.isRenewed) {
      known.isRenewed = true
      this.#renew(key, count, whole).catch(() => {
        known.isRenewed = false
      })
    }
    return known.value
  }

  async #renew(key: string, count: () => Promise<number>, whole: number | undefined): Promise<number> {
    const value = await count()
    // Small counts soon change, such as those of a new clinic's first patients.
    const lifetime = (whole ?? value) < FEW ? LIFETIME / 100 : LIFETIME
    this.#counts.set(key, { value, until: Date.now() + lifetime, isRenewed: false })
    return value
  }
}
