/** Items that wait, of many clinics: these take turns, so that one that sends much does not make the others wait. */

export class Turns<Item> {
  /** By clinic, in the order of their turns; none is empty. */
  readonly #clinics = new Map<string, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Items of one clinic keep their order. */
  push(clinic: string, item: Item): void {
    const items = this.#clinics.get(clinic)
    if (items === undefined) this.#clinics.set(clinic, [item])
    else items.push(item)
    this.#size += 1
  }

  /** Takes the next item of the clinic whose turn it is. */
  next(): Item | undefined {
    for (const [clinic, items] of this.#clinics) {
      const item = items.shift()
      this.#clinics.delete(clinic)
      if (items.length > 0) this.#clinics.set(clinic, items)
      this.#size -= 1
      return item
    }
    return undefined
  }

  /** Takes all. */
  *all(): Generator<Item> {
    for (let item = this.next(); item !== undefined; item = this.next()) yield item
  }

  /** The first of each clinic: the oldest is among them. */
  *heads(): Generator<Item> {
    for (const [first] of this.#clinics.values()) if (first !== undefined) yield first
  }
}
