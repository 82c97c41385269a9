/** Quantities as FHIRPath compares them: https://hl7.org/fhirpath/N1/#quantity. */
import { isNumber } from '../json.ts'
import { isObject } from '../resource.ts'
import { convertUnit, UCUM } from '../ucum.ts'

/** A quantity in an expression, `10 'mg'` or `4 days`; `unit` is a UCUM code. */
export class Quantity {
  readonly value: number
  readonly unit: string
  constructor(value: number, unit: string) {
    this.value = value
    this.unit = unit
  }
}

/** Calendar durations -> UCUM codes. */
export const CALENDAR_UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    year: 'a',
    month: 'mo',
    week: 'wk',
    day: 'd',
    hour: 'h',
    minute: 'min',
    second: 's',
    millisecond: 'ms',
  }).flatMap(([word, code]) => [
    [word, code],
    [`${word}s`, code],
  ]),
)

export interface Measure {
  readonly value: number
  readonly unit: string
  readonly convertible: boolean
}

export function measureOf(value: unknown): Measure | undefined {
  if (isNumber(value)) return { value: Number(value), unit: '1', convertible: true }
  if (value instanceof Quantity) return { value: value.value, unit: value.unit, convertible: true }
  if (!isObject(value) || !isNumber(value.value)) return undefined
  const unit = String(value.code ?? value.unit ?? '')
  return { value: Number(value.value), unit, convertible: value.system === UCUM }
}

/** Negative, positive or 0; undefined when they are not comparable. */
export function compareQuantities(left: unknown, right: unknown): number | undefined {
  const one = measureOf(left)
  const other = measureOf(right)
  if (one === undefined || other === undefined) return undefined
  if (one.unit === other.unit) return one.value - other.value
  if (!one.convertible || !other.convertible) return undefined
  const converted = convertUnit(other.unit, other.value, one.unit)
  return converted === undefined ? undefined : one.value - converted
}

export const isQuantity = (value: unknown): boolean =>
  value instanceof Quantity || (isObject(value) && value.system === UCUM && isNumber(value.value) && 'code' in value)
