/** Number parameters: https://hl7.org/fhir/R4/search.html#number. */
import { isNumber } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Condition, IndexEntry, RangeBounds } from '../plan.ts'
import { any, malformed, type ValueContext } from '../value.ts'
import { boundsFor, type Prefix, type SearchRange, tighten } from './range.ts'

export const NUMBER_MODIFIERS = [] as const

const NUMBER = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?([-+]?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,2})?)$/

/** The syntax of a number, for messages. */
export const NUMBER_IN_WORDS =
  'digits (5, 5.40, 5e2; at most 40 on each side of the point and 2 in the exponent) after one of eq, ne, gt, lt, ge, le, sa, eb, ap or nothing'

export interface NumberText {
  readonly prefix: Prefix
  readonly digits: string
}

/** A plus sign that was not percent-encoded arrives as a space. */
const withPlus = (text: string): string => text.replace(/(?<=\d[eE]) (?=\d)/, '+')

/** A number with its prefix; undefined where the text is not one. */
export function readNumber(text: string): NumberText | undefined {
  const [, prefix = 'eq', digits] = NUMBER.exec(withPlus(text)) ?? []
  return digits === undefined ? undefined : { prefix: prefix as Prefix, digits }
}

export function parseNumber(param: string, text: string, context: ValueContext): Condition {
  const number = readNumber(text)
  if (number === undefined) {
    throw malformed(context, text, `is not a number; write ${NUMBER_IN_WORDS}`)
  }
  return any(boundsOfNumber(number).map((bounds) => ({ kind: 'number', param, bounds })))
}

/** Bounds, at least one of which must hold. @param convert converts a value to another unit; increasing */
export function boundsOfNumber(number: NumberText, convert = (value: number): number => value): readonly RangeBounds[] {
  return boundsFor(number.prefix, searchRange(number, convert), true)
    .map((bound) => tighten(bound, Number.POSITIVE_INFINITY))
    .filter((bound) => bound !== undefined)
}

/** The searched range: eq and ne compare at the stated precision, ap with a tenth on both sides, all others exactly. */
function searchRange({ prefix, digits }: NumberText, convert: (value: number) => number): SearchRange {
  const value = Number(digits)
  if (prefix === 'eq' || prefix === 'ne') {
    const [low, beyond] = roundedFrom(digits)
    const itself = convert(value)
    // With more digits than a number can hold, only the number itself lies between them, or not even that.
    return outside(Math.min(convert(low), itself), Math.max(previous(convert(beyond)), itself))
  }
  const tenth = prefix === 'ap' ? Math.abs(value) / 10 : 0
  return outside(convert(value - tenth), convert(value + tenth))
}

/**
 * The range that rounds to the digits: 100 is [99.5, 100.5), 100.00 is [99.995, 100.005), and 1e2, by R4's own example,
 * [95, 105), as if it were 1.0e2.
 */
function roundedFrom(digits: string): readonly [low: number, beyond: number] {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(digits) ?? []
  const places = exponent !== undefined && fraction === '' ? '0' : fraction
  // In decimal, not binary: ten times the digits, five less and five more, one place further right.
  const scaled = BigInt(whole + places) * (sign === '-' ? -10n : 10n)
  const power = Number(exponent ?? 0) - places.length - 1
  return [Number(`${scaled - 5n}e${power}`), Number(`${scaled + 5n}e${power}`)]
}

const outside = (low: number, high: number): SearchRange => ({
  low,
  high,
  before: previous(low),
  after: -previous(-high),
})

/** The next lower number that JavaScript can hold. */
export function previous(value: number): number {
  if (value === 0) return -Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? -1n : 1n))
  return view.getFloat64(0)
}

/** Extracts a decimal, an integer or a Range, whose absent ends are the extreme numbers. */
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
