/**
 * Quantity parameters: https://hl7.org/fhir/R4/search.html#quantity. Not offered yet (see SERVED_TYPES), but indexed, so
 * that what is stored today will be found.
 */
import { isNumber } from '../fhir/json.ts'
import { isObject } from '../fhir/resource.ts'
import type { IndexEntry } from './plan.ts'

const CURRENCIES = 'urn:iso:std:iso:4217'

/** A Quantity (Age, Duration), Money or Range; an open end is as far away as numbers go. */
export function extractQuantity(param: string, value: unknown, entries: IndexEntry[]): void {
  if (!isObject(value)) return
  const low = isObject(value.low) ? value.low : undefined
  const high = isObject(value.high) ? value.high : undefined
  if (low === undefined && high === undefined) addQuantity(param, value, limitsOf(value), entries)
  else addQuantity(param, low ?? high ?? {}, [limitsOf(low)[0], limitsOf(high)[1]], entries)
}

function addQuantity(
  param: string,
  { system, code, currency }: Record<string, unknown>,
  [low, high]: readonly [number, number],
  entries: IndexEntry[],
): void {
  const unit = currency === undefined ? { system, code } : { system: CURRENCIES, code: currency }
  entries.push({ kind: 'quantity', param, low, high, system: textOf(unit.system), code: textOf(unit.code) })
}

/** `<5` is all below 5. */
function limitsOf({ value, comparator }: Record<string, unknown> = {}): readonly [number, number] {
  const least = isNumber(value) && !['<', '<='].includes(textOf(comparator)) ? Number(value) : -Number.MAX_VALUE
  const most = isNumber(value) && !['>', '>='].includes(textOf(comparator)) ? Number(value) : Number.MAX_VALUE
  return [least, most]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
