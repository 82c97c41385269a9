/** A queue in which clinics take turns, so that one that sends much does not make the others wait. */

export class FairQueue<Item> {
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

  /** The next item of the clinic whose turn it is, among those that `mayBegin`. */
  next(mayBegin: (clinic: string) => boolean = () => true): Item | undefined {
    for (const [clinic, items] of this.#clinics) {
      if (!mayBegin(clinic)) continue
      const item = items.shift()
      this.#clinics.delete(clinic)
      if (items.length > 0) this.#clinics.set(clinic, items)
      this.#size -= 1
      return item
    }
    return undefined
  }

  /** Takes out those that `isMeant`. */
  take(isMeant: (item: Item) => boolean): readonly Item[] {
    const taken: Item[] = []
    for (const [clinic, items] of this.#clinics) {
      const kept = items.filter((item) => !isMeant(item))
      if (kept.length === items.length) continue
      taken.push(...items.filter(isMeant))
      if (kept.length > 0) this.#clinics.set(clinic, kept)
      else this.#clinics.delete(clinic)
    }
    this.#size -= taken.length
    return taken
  }

  /** The first of each clinic: the oldest is among them. */
  *heads(): Generator<Item> {
    for (const [first] of this.#clinics.values()) if (first !== undefined) yield first
  }

  clinics(): Iterable<string> {
    return this.#clinics.keys()
  }
}
