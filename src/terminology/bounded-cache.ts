/** What was read last, up to a weight: the least recently used goes first. */

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

  /** @param limit the sum of the weights kept at most, in the unit of `set` */
  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    // Noted in the entry: to move it in the map costs twenty times as much, and reads are many.
    if (entry !== undefined) entry.used = ++this.#clock
    return entry?.value
  }

  /** What weighs more than all that may be kept is not kept. */
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
