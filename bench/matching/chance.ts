/** Chance that is the same in every run. */
export interface Chance {
  /** From 0 to 1, without 1. */
  readonly part: () => number
  /** A whole number from 0 to `limit`, without it. */
  readonly below: (limit: number) => number
  /** True in this part of all cases. */
  readonly isOnce: (part: number) => boolean
}

/** Its own sequence for each kind and number: the generator mulberry32. */
export function chanceOf(kind: number, n: number): Chance {
  let state = (Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(kind, 0x85ebca6b)) >>> 0
  const part = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { part, below: (limit) => Math.floor(part() * limit), isOnce: (share) => part() < share }
}
