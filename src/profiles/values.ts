/**
 * Fixed values, patterns and bounds (https://hl7.org/fhir/R4/elementdefinition.html: fixed[x], pattern[x], minValue[x]), and
 * codes in the value set of a binding (https://hl7.org/fhir/R4/terminologies.html#strength).
 */
import { isNumber } from '../fhir/json.ts'
import { isObject } from '../fhir/resource.ts'
import { Meter } from '../isolation/budget.ts'
import type { BoundCode } from '../terminology/value-set.ts'
import type { KnownDefinitions } from './known-definitions.ts'
import type { TypedElement } from './typed-element.ts'

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

export type BindingResult =
  | { readonly kind: 'in' | 'out' }
  /** The element has no code. */
  | { readonly kind: 'no-code' }
  | { readonly kind: 'unknown'; readonly why: string }

const PLAIN_CODES: ReadonlySet<string> = new Set(['code', 'string', 'uri', 'url', 'canonical', 'id', 'markdown'])

/** One code in the value set suffices. Undefined while the value set is not loaded yet. */
export function checkBinding(
  item: TypedElement,
  valueSet: string,
  definitions: KnownDefinitions,
): BindingResult | undefined {
  let result: BindingResult = { kind: 'no-code' }
  for (const code of codesOf(item)) {
    const found = definitions.isIn(valueSet, code)
    if (found === undefined) return undefined
    if (found.isIn === 'yes') return { kind: 'in' }
    if (found.isIn === 'unknown') result = { kind: 'unknown', why: found.why ?? 'its codes cannot be determined' }
    else if (result.kind === 'no-code') result = { kind: 'out' }
  }
  return result
}

function codesOf({ type, value }: TypedElement): readonly BoundCode[] {
  if (typeof value === 'string') return PLAIN_CODES.has(type) ? [{ code: value }] : []
  if (!isObject(value)) return []
  const codings = Array.isArray(value['coding']) ? value['coding'] : [value]
  return codings.flatMap(codeOf)
}

/** A coding without a system is not in any value set. */
function codeOf(coding: unknown): readonly BoundCode[] {
  const { system, code, version } = isObject(coding) ? coding : {}
  if (typeof code !== 'string') return []
  return [
    { system: typeof system === 'string' ? system : '', code, ...(typeof version === 'string' ? { version } : {}) },
  ]
}

/** The codes, for a message. */
export function formatCodes(item: TypedElement): string {
  const codes = codesOf(item).slice(0, 5)
  if (codes.length === 0) return 'no code'
  return codes.map(({ system, code }) => (system === undefined ? code : `${system}|${code}`)).join(', ')
}

/** The message for codes that are not in the value set of an extensible binding. */
export const extensibleMessage = (item: TypedElement, valueSet: string): string =>
  `has ${formatCodes(item)}; it should be a code of ${valueSet}, unless none of these fits`

/** Whether the value consists of extensions, such as data-absent-reason. */
export const hasOnlyExtensions = ({ value, sibling }: TypedElement): boolean =>
  isObject(value)
    ? value['extension'] !== undefined &&
      value['coding'] === undefined &&
      value['code'] === undefined &&
      value['text'] === undefined
    : value == null && isObject(sibling)
