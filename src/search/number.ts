/** Number parameters: https://hl7.org/fhir/R4/search.html#number. */
import { isNumber } from '../fhir/json.ts'
import { isObject } from '../fhir/resource.ts'
import type { Condition, IndexEntry } from './plan.ts'
import { boundsFor, type Prefix, type SearchRange, tighten } from './range.ts'
import { any, malformed, type ValueContext } from './value.ts'

export const NUMBER_MODIFIERS = [] as const

const NUMBER = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?([-+]?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,2})?)$/

export function parseNumber(param: string, text: string, context: ValueContext): Condition {
  const [, prefix = 'eq', digits] = NUMBER.exec(text) ?? []
  if (digits === undefined) {
    throw malformed(
      context,
      text,
      'is not a number; write digits (5, 5.40, 5e2) after one of eq, ne, gt, lt, ge, le, sa, eb, ap or nothing',
    )
  }
  const bounds = boundsFor(prefix as Prefix, searchRange(prefix, digits), true)
    .map((bound) => tighten(bound, Number.POSITIVE_INFINITY))
    .filter((bound) => bound !== undefined)
  return any(bounds.map((bound) => ({ kind: 'number', param, bounds: bound })))
}

/** eq and ne compare at the stated precision, ap with a tenth on both sides, all others exactly. */
function searchRange(prefix: string, digits: string): SearchRange {
  const value = Number(digits)
  if (prefix === 'eq' || prefix === 'ne') return roundedRange(digits)
  const tenth = prefix === 'ap' ? Math.abs(value) / 10 : 0
  return outside(value - tenth, value + tenth)
}

/** 100 is [99.5, 100.5), 100.00 is [99.995, 100.005), and 1e2, by R4's own example, [95, 105): as if it said 1.0e2. */
function roundedRange(digits: string): SearchRange {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(digits) ?? []
  const places = exponent !== undefined && fraction === '' ? '0' : fraction
  // In decimal, not binary: ten times the digits, five less and five more, one place further right.
  const scaled = BigInt(whole + places) * (sign === '-' ? -10n : 10n)
  const power = Number(exponent ?? 0) - places.length - 1
  return outside(Number(`${scaled - 5n}e${power}`), previous(Number(`${scaled + 5n}e${power}`)))
}

const outside = (low: number, high: number): SearchRange => ({
  low,
  high,
  before: previous(low),
  after: -previous(-high),
})

/** The next lower number that JavaScript can hold. */
function previous(value: number): number {
  if (value === 0) return -Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n))
  return view.getFloat64(0)
}

/** A decimal or integer, or a Range; its absent ends are as far away as numbers go. */
export function extractNumber(param: string, value: unknown, entries: IndexEntry[]): void {
  if (isNumber(value)) entries.push({ kind: 'number', param, low: Number(value), high: Number(value) })
  else if (isObject(value) && (isObject(value.low) || isObject(value.high))) {
    const low = quantityValue(value.low) ?? -Number.MAX_VALUE
    const high = quantityValue(value.high) ?? Number.MAX_VALUE
    entries.push({ kind: 'number', param, low, high })
  }
}

const quantityValue = (quantity: unknown): number | undefined =>
  isObject(quantity) && isNumber(quantity.value) ? Number(quantity.value) : undefined
