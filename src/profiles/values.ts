/**
 * Fixed values, patterns and bounds: https://hl7.org/fhir/R4/elementdefinition.html (fixed[x], pattern[x],
 * minValue[x]).
 */
import { isNumber } from '../fhir/json.ts'
import { isObject } from '../fhir/resource.ts'
import { Meter } from '../isolation/budget.ts'

/** Steps to compare two values. */
const STEPS_PER_COMPARISON = 0.1

const meter = new Meter('the values that its profiles ask for')

/** Deep equality; the order of properties does not matter. */
export function isEqual(value: unknown, fixed: unknown): boolean {
  meter.pay(STEPS_PER_COMPARISON)
  if (isNumber(value) && isNumber(fixed)) return Number(value) === Number(fixed)
  if (Array.isArray(value) && Array.isArray(fixed))
    return value.length === fixed.length && fixed.every((one, index) => isEqual(value[index], one))
  if (!isObject(value) || !isObject(fixed)) return value === fixed
  const names = Object.keys(fixed)
  return Object.keys(value).length === names.length && names.every((name) => isEqual(value[name], fixed[name]))
}

/** Whether the value contains everything in the pattern. */
export function fits(value: unknown, pattern: unknown): boolean {
  meter.pay(STEPS_PER_COMPARISON)
  if (Array.isArray(pattern))
    return Array.isArray(value) && pattern.every((part) => value.some((one) => fits(one, part)))
  if (!isObject(pattern)) return isEqual(value, pattern)
  return isObject(value) && Object.keys(pattern).every((name) => fits(value[name], pattern[name]))
}

/**
 * Negative when `value` is less than `bound`, positive when it is greater. Compares numbers, dates and times, and
 * quantities of the same unit; undefined for anything else.
 */
export function order(value: unknown, bound: unknown): number | undefined {
  if (isNumber(value) && isNumber(bound)) return Number(value) - Number(bound)
  if (typeof value === 'string' && typeof bound === 'string') return orderOfTimes(value, bound)
  if (!isObject(value) || !isObject(bound) || value['code'] !== bound['code']) return undefined
  return order(value['value'], bound['value'])
}

/** Compares date-times by instant, and other values in the precision that both have. */
function orderOfTimes(value: string, bound: string): number | undefined {
  if (value.includes('T') && bound.includes('T')) return Date.parse(value) - Date.parse(bound)
  const length = Math.min(value.length, bound.length)
  const [one, other] = [value.slice(0, length), bound.slice(0, length)]
  return one === other ? 0 : one < other ? -1 : 1
}
