/** Numbers and dates as ranges, and the prefixes in the words of R4: https://hl7.org/fhir/R4/search.html#prefix. */

/** A fraction, so that nothing is lost in any unit. */
export interface Fraction {
  readonly above: bigint
  /** Positive; 0 for infinity, whose sign `above` has. */
  readonly below: bigint
}

/** An end of a range: a number, or the point just before (-1) or after it (1). */
export interface End {
  readonly at: Fraction
  readonly beside: -1 | 0 | 1
}

export interface Range {
  readonly low: End
  readonly high: End
}

export const PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'] as const
export type Prefix = (typeof PREFIXES)[number]

export const LEAST: End = { at: { above: -1n, below: 0n }, beside: 0 }
export const MOST: End = { at: { above: 1n, below: 0n }, beside: 0 }

export const whole = (number: number | bigint): Fraction => ({ above: BigInt(number), below: 1n })
export const times = (one: Fraction, other: Fraction): Fraction => ({
  above: one.above * other.above,
  below: one.below * other.below,
})
export const plus = (one: Fraction, other: Fraction): Fraction => ({
  above: one.above * other.below + other.above * one.below,
  below: one.below * other.below,
})

const powerOfTen = (power: number): Fraction =>
  power < 0 ? { above: 1n, below: 10n ** BigInt(-power) } : whole(10n ** BigInt(power))

/** The value of a decimal as R4 writes it; `precision` is the value of the last digit. */
export function decimal(digits: string): { readonly value: Fraction; readonly precision: Fraction } | undefined {
  const [, sign, integer, fraction = '', exponent = '0'] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(digits) ?? []
  if (integer === undefined) return undefined
  // R4's own example: 1e2 is 100 to one more digit than it shows, from 95 to 105.
  const places = /e/i.test(digits) && fraction === '' ? '0' : fraction
  const precision = powerOfTen(Number(exponent) - places.length)
  const scaled = BigInt(integer + places) * (sign === '-' ? -1n : 1n)
  return { value: times(whole(scaled), precision), precision }
}

function compareFractions(one: Fraction, other: Fraction): number {
  if (one.below === 0n || other.below === 0n) {
    const [left, right] = [one, other].map(({ above, below }) => (below === 0n ? Number(above) : 0))
    return (left ?? 0) - (right ?? 0)
  }
  return (
    Number(one.above * other.below > other.above * one.below) -
    Number(one.above * other.below < other.above * one.below)
  )
}

export const compareEnds = (one: End, other: End): number =>
  compareFractions(one.at, other.at) || one.beside - other.beside

export const exactly = (at: Fraction): Range => ({ low: { at, beside: 0 }, high: { at, beside: 0 } })

const HALF: Fraction = { above: 1n, below: 2n }
const TENTH: Fraction = { above: 1n, below: 10n }
const MINUS = whole(-1)

/**
 * The range that a number in a query stands for: with eq and ne all that rounds to it, with ap a tenth more and less.
 */
export function searchedNumber(prefix: Prefix, digits: string): Range | undefined {
  const stated = decimal(digits)
  if (stated === undefined) return undefined
  const { value, precision } = stated
  if (prefix === 'ap') {
    const tenth = times(value.above < 0n ? times(value, MINUS) : value, TENTH)
    return { low: { at: plus(value, times(tenth, MINUS)), beside: 0 }, high: { at: plus(value, tenth), beside: 0 } }
  }
  if (prefix !== 'eq' && prefix !== 'ne') return exactly(value)
  const half = times(precision, HALF)
  return { low: { at: plus(value, times(half, MINUS)), beside: 0 }, high: { at: plus(value, half), beside: -1 } }
}

const contains = (outer: Range, inner: Range): boolean =>
  compareEnds(outer.low, inner.low) <= 0 && compareEnds(inner.high, outer.high) <= 0

export function compares(prefix: Prefix, searched: Range, target: Range): boolean {
  const reachesAbove = compareEnds(target.high, searched.high) > 0
  const reachesBelow = compareEnds(target.low, searched.low) < 0
  const isWithin = contains(searched, target)
  switch (prefix) {
    case 'eq':
      return isWithin
    case 'ne':
      return !isWithin
    case 'gt':
      return reachesAbove
    case 'lt':
      return reachesBelow
    case 'ge':
      return reachesAbove || isWithin
    case 'le':
      return reachesBelow || isWithin
    case 'sa':
      return compareEnds(target.low, searched.high) > 0
    case 'eb':
      return compareEnds(target.high, searched.low) < 0
    case 'ap':
      return compareEnds(target.low, searched.high) <= 0 && compareEnds(searched.low, target.high) <= 0
  }
}

/** `ge5` is ge and 5; without a prefix eq. */
export function prefixed(text: string): readonly [Prefix, string] {
  const prefix = PREFIXES.find((one) => text.startsWith(one))
  return prefix === undefined ? ['eq', text] : [prefix, text.slice(2)]
}
