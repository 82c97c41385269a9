/** Bounds on the two ends of a range, of which the low one is never above the high one. */
import type { RangeBounds } from './plan.ts'

/** Bounds on one value. */
export interface Interval {
  readonly min: number | undefined
  readonly max: number | undefined
}

export const least = (...values: readonly (number | undefined)[]): number | undefined => tightest(Math.min, values)
export const greatest = (...values: readonly (number | undefined)[]): number | undefined => tightest(Math.max, values)

function tightest(of: (...values: readonly number[]) => number, values: readonly (number | undefined)[]) {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : of(...known)
}

/**
 * Bounds on each end, so that an index by either can seek: a bound on one end bounds the other.
 * @param span which no range exceeds; Infinity: unknown
 */
export function endsOf(
  { lowMin, lowMax, highMin, highMax }: RangeBounds,
  span: number,
): { readonly low: Interval; readonly high: Interval } {
  return {
    low: { min: greatest(lowMin, moved(highMin, -span)), max: least(lowMax, highMax) },
    high: { min: greatest(highMin, lowMin), max: least(highMax, moved(lowMax, span)) },
  }
}

/** Exact only for milliseconds. */
const moved = (value: number | undefined, by: number): number | undefined =>
  value === undefined || !Number.isSafeInteger(by) ? undefined : value + by

/** Bounds on an instant: a range whose two ends are equal. */
export const instantOf = ({ lowMin, lowMax, highMin, highMax }: RangeBounds): Interval => ({
  min: greatest(lowMin, highMin),
  max: least(lowMax, highMax),
})

/** Bounds that hold where both hold for the same range. */
export const intersection = (one: RangeBounds, other: RangeBounds): RangeBounds =>
  present({
    lowMin: greatest(one.lowMin, other.lowMin),
    lowMax: least(one.lowMax, other.lowMax),
    highMin: greatest(one.highMin, other.highMin),
    highMax: least(one.highMax, other.highMax),
  })

export const present = (bounds: { readonly [name in keyof RangeBounds]: number | undefined }): RangeBounds =>
  Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined))
