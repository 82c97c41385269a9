/** A cache limited by the total weight of its entries; the least recently used entry is evicted first. */

interface Entry<Value> {
  readonly value: Value
  readonly weight: number
  used: number
}

export class BoundedCache<Value> {
  readonly #limit: number
  readonly #entries = new Map<string, Entry<Value>>()
  #weight = 0
  #clock = 0

  /** @param limit the maximum total weight, in the unit used with `set` */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    // Stored in the entry, as moving it in the map would make reads twenty times as expensive.
    if (entry !== undefined) entry.used = ++this.#clock
    return entry?.value
  }

  /** An entry heavier than the limit is not cached. */
  set(key: string, value: Value, weight: number): void {
    this.#drop(key)
    if (weight > this.#limit) return
    this.#entries.set(key, { value, weight, used: ++this.#clock })
    this.#weight += weight
    while (this.#weight > this.#limit) this.#drop(this.#leastUsed())
  }

  #leastUsed(): string {
    let [key, least] = ['', Number.POSITIVE_INFINITY]
    for (const [candidate, { used }] of this.#entries) if (used < least) [key, least] = [candidate, used]
    return key
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }
}
