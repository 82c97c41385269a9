/** Quantities: https://hl7.org/fhir/R4/search.html#quantity. Units of measure are those of a small table. */
import { isObject, textOf } from './elements.ts'
import {
  compares,
  decimal,
  type End,
  type Fraction,
  LEAST,
  MOST,
  plus,
  prefixed,
  type Range,
  searchedNumber,
  times,
  whole,
} from './ranges.ts'
import { split, withoutEscapes } from './text.ts'

export const UCUM = 'http://unitsofmeasure.org'
const CURRENCIES = 'urn:iso:std:iso:4217'

interface Unit {
  readonly of: string
  readonly factor: Fraction
  /** The zero point, for scales with another zero. */
  readonly zero?: Fraction
}
const part = (above: number, below: number): Fraction => ({ above: BigInt(above), below: BigInt(below) })

/** Each unit in terms of g, m, s, K or 1. */
export const UNITS: Readonly<Record<string, Unit>> = {
  g: { of: 'g', factor: whole(1) },
  mg: { of: 'g', factor: part(1, 1000) },
  ug: { of: 'g', factor: part(1, 1_000_000) },
  kg: { of: 'g', factor: whole(1000) },
  '[lb_av]': { of: 'g', factor: part(45_359_237, 100_000) },
  m: { of: 'm', factor: whole(1) },
  cm: { of: 'm', factor: part(1, 100) },
  km: { of: 'm', factor: whole(1000) },
  '[in_i]': { of: 'm', factor: part(254, 10_000) },
  min: { of: 's', factor: whole(60) },
  h: { of: 's', factor: whole(3600) },
  d: { of: 's', factor: whole(86_400) },
  mo: { of: 's', factor: whole(2_629_800) },
  a: { of: 's', factor: whole(31_557_600) },
  Cel: { of: 'K', factor: whole(1), zero: part(27_315, 100) },
  '[degF]': { of: 'K', factor: part(5, 9), zero: part(45_967 * 5, 100 * 9) },
  '%': { of: '1', factor: part(1, 100) },
  '1': { of: '1', factor: whole(1) },
}

/** The value of a Quantity, Money or Range, its ends in its own unit. */
export interface Stated {
  readonly range: Range
  readonly system: string
  readonly code: string
  readonly unit: string
}

export function statedBy(value: unknown): Stated | undefined {
  if (!isObject(value)) return undefined
  if (isObject(value['low']) || isObject(value['high'])) return statedByRange(value)
  const { value: number, comparator, system, code, unit, currency } = value
  const at = decimal(String(number))?.value
  if (at === undefined) return undefined
  return {
    range: {
      low: comparator === '<' || comparator === '<=' ? LEAST : { at, beside: comparator === '>' ? 1 : 0 },
      high: comparator === '>' || comparator === '>=' ? MOST : { at, beside: comparator === '<' ? -1 : 0 },
    },
    system: currency === undefined ? textOf(system) : CURRENCIES,
    code: textOf(currency ?? code),
    unit: textOf(unit),
  }
}

/** Both ends of generated ranges have the same unit. */
function statedByRange({ low, high }: Readonly<Record<string, unknown>>): Stated | undefined {
  const [from, to] = [statedBy(low), statedBy(high)]
  const either = from ?? to
  return either && { ...either, range: { low: from?.range.low ?? LEAST, high: to?.range.high ?? MOST } }
}

const converted = ({ low, high }: Range, unit: Unit): Range => ({
  low: convertedEnd(low, unit),
  high: convertedEnd(high, unit),
})

const convertedEnd = (end: End, { factor, zero = whole(0) }: Unit): End =>
  end.at.below === 0n ? end : { ...end, at: plus(times(end.at, factor), zero) }

/** In the base unit where there is one, for comparison with others and for _sort. */
export function inBaseUnit({ range, system, code }: Stated): Range {
  const unit = system === UCUM ? UNITS[code] : undefined
  return unit === undefined ? range : converted(range, unit)
}

/** `5.4|system|code`, of which everything but the number may be absent. */
export function fitsQuantity(text: string, value: unknown): boolean {
  const stated = statedBy(value)
  const [number = '', system = '', code = ''] = split(text, '|').map(withoutEscapes)
  const [prefix, digits] = prefixed(number)
  const searched = searchedNumber(prefix, digits)
  if (stated === undefined || searched === undefined) return false
  if (system === '' && code === '') return compares(prefix, searched, stated.range)
  if (system === '') return (stated.code === code || stated.unit === code) && compares(prefix, searched, stated.range)
  if (system !== stated.system) return false
  if (code === '') return compares(prefix, searched, stated.range)
  const [own, other] = [UNITS[stated.code], UNITS[code]]
  if (system !== UCUM || own === undefined || other === undefined)
    return stated.code === code && compares(prefix, searched, stated.range)
  return own.of === other.of && compares(prefix, converted(searched, other), converted(stated.range, own))
}
