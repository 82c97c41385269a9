/** How many resources match, as it was some minutes ago at most: for what needs to know how frequent something is. */

/** Milliseconds. */
const LIFETIME = 5 * 60_000
const MAX_COUNTS = 10_000
/** Resources of a type that a clinic has in its first days. */
const FEW = 1_000

interface Count {
  readonly value: number
  readonly until: number
  /** It is being counted again. */
  isRenewed: boolean
}

export class RecentCounts {
  readonly #counts = new Map<string, Count>()

  /**
   * @param count the count as it is now
   * @param whole what it is a part of, as it was; absent: it is the whole
   */
  async read(key: string, count: () => Promise<number>, whole?: number): Promise<number> {
    const now = Date.now()
    const known = this.#counts.get(key)
    if (known === undefined) return await this.#renew(key, count, whole)
    if (known.until > now) return known.value
    if (known.value < FEW) return await this.#renew(key, count, whole)
    // Counting many takes long, and changes little.
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
    // Small ones change soon: the first patients of a clinic.
    const lifetime = (whole ?? value) < FEW ? LIFETIME / 100 : LIFETIME
    if (this.#counts.size >= MAX_COUNTS) this.#counts.clear()
    this.#counts.set(key, { value, until: Date.now() + lifetime, isRenewed: false })
    return value
  }
}
