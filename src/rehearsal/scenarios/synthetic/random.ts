/** Chance that repeats: the numbers follow from a seed alone. */
export class Random {
  #state: number

  /** @param seed any text; the same text gives the same numbers */
  constructor(seed: string) {
    this.#state = hashOf(seed)
  }

  /** A number from 0 to less than 1. The generator is Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** True with this probability, from 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A whole number between the two, both included. */
  integer([from, to]: Range): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  /** A number between the two. */
  between([from, to]: Range): number {
    return from + this.next() * (to - from)
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item
  }

  /** One of the items, each as often as its share of the sum of all shares. */
  byShare<Item extends { readonly share: number }>(items: readonly Item[]): Item {
    let rest = this.next() * items.reduce((sum, { share }) => sum + share, 0)
    for (const item of items) {
      rest -= item.share
      if (rest < 0) return item
    }
    return items.at(-1) as Item
  }
}

export type Range = readonly [from: number, to: number]

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
