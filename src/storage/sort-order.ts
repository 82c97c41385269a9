/** The order of texts and sort keys, as both databases have it: by the bytes of UTF-8. */
import type { SortKey } from '../search/plan.ts'
import type { CursorKey } from './cursor.ts'

export const compareTexts = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const compareValues = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : compareTexts(String(one), String(other))

/** Compares the sort values of two resources; a missing value comes after every value. */
export function compareKeys(
  sort: readonly Pick<SortKey, 'descending'>[],
  one: readonly CursorKey[],
  other: readonly CursorKey[],
): number {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [one[index] ?? null, other[index] ?? null]
    if (left === right) continue
    if (left === null) return 1
    if (right === null) return -1
    return descending ? compareValues(right, left) : compareValues(left, right)
  }
  return 0
}

/** The least text above everything that starts with `prefix`; undefined: there is none. */
export function successor(prefix: string): string | undefined {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}
