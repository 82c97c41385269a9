/**
 * Prefixes on ranges: https://hl7.org/fhir/R4/search.html#prefix. Dates and numbers share the rules, which
 * docs/interactions/prefixes.md quotes, with a table of cases.
 */
import type { RangeBounds } from '../plan.ts'
import { greatest, least, present } from '../range-bounds.ts'

export const PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'] as const
export type Prefix = (typeof PREFIXES)[number]

/** A search value: the inclusive range it stands for, and the nearest values outside. */
export interface SearchRange {
  readonly low: number
  readonly high: number
  /** The highest value below `low`. */
  readonly before: number
  /** The lowest value above `high`. */
  readonly after: number
}

/**
 * The bounds on a resource's range [l, h], at least one of which must hold, disjoint where there are several.
 * R4 defines the prefixes by intersection and containment; with the search range [a, b] they are:
 * - gt, "the range above the value intersects the target": h > b. lt: l < a. sa: l > b. eb: h < a.
 * - eq, "the value contains the target": l >= a and h <= b. ne: l < a or h > b.
 * - ge, gt or eq: h > b, or l >= a and h <= b. As l >= a with h > b is a gt anyway, that is l >= a or h > b.
 *   le likewise: l < a or h <= b.
 *
 * The union of ge and le is needed for targets that straddle the search value (l < a and h > b) alone. Where
 * none can, h > b implies l >= a and ge is l >= a; l < a implies h <= b and le is h <= b.
 * @param straddles whether a target can begin before the search range and end after it
 */
export function boundsFor(prefix: Prefix, range: SearchRange, straddles: boolean): readonly RangeBounds[] {
  const { low, high, before, after } = range
  switch (prefix) {
    case 'eq':
      return [{ lowMin: low, highMax: high }]
    case 'ne':
      return [{ lowMax: before }, { lowMin: low, highMin: after }]
    case 'gt':
      return [{ highMin: after }]
    case 'lt':
      return [{ lowMax: before }]
    case 'ge':
      return straddles ? [{ lowMin: low }, { lowMax: before, highMin: after }] : [{ lowMin: low }]
    case 'le':
      return straddles ? [{ lowMax: before }, { lowMin: low, highMax: high }] : [{ highMax: high }]
    case 'sa':
      return [{ lowMin: after }]
    case 'eb':
      return [{ highMax: before }]
    case 'ap':
      return [{ lowMax: high, highMin: low }]
  }
}

/**
 * The bounds with additional ones for an index on `low`: l <= h, so an upper bound on h also bounds l; and where no
 * target is longer than `span`, l >= h - span, so a lower bound on h also bounds l. Points (span 0) need no bound on h.
 * @returns undefined when nothing can be within the bounds
 */
export function tighten({ lowMin, lowMax, highMin, highMax }: RangeBounds, span: number): RangeBounds | undefined {
  const min = greatest(lowMin, highMin === undefined || span === Number.POSITIVE_INFINITY ? undefined : highMin - span)
  const max = least(lowMax, highMax)
  if (min !== undefined && max !== undefined && min > max) return undefined
  if (highMin !== undefined && highMax !== undefined && highMin > highMax) return undefined
  return present(span === 0 ? { lowMin: min, lowMax: max } : { lowMin: min, lowMax: max, highMin, highMax })
}
