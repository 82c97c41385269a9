/**
 * Quantity parameters: https://hl7.org/fhir/R4/search.html#quantity. A quantity is found in three ways, each with an
 * entry of its own:
 * - `5.4`, `5.4||mg` and `5.4|system|` compare with the number as written: in any unit, with that code or unit, or in
 * any unit of that system;
 * - `5.4|system|mg` compares with all comparable quantities, under a derived name: `value-quantity:http://…|g`. UCUM
 * units are converted to base units there, so 5.4 mg is 0.0054 g; a code of any other system (currencies), or one
 * unknown to UCUM, is comparable only with itself;
 * - `_sort` uses the latter, or the number as written where there is none.
 */
import { isNumber } from '../../fhir/json.ts'
import { isObject } from '../../fhir/resource.ts'
import { type BaseUnit, baseUnit, closestUnits, UCUM } from '../../fhir/ucum.ts'
import type { Condition, IndexEntry } from '../plan.ts'
import { any, malformed, splitUnescaped, unescaped, type ValueContext } from '../value.ts'
import { boundsOfNumber, NUMBER_IN_WORDS, type NumberText, previous, readNumber } from './number.ts'
import { addPresence } from './token.ts'

export const QUANTITY_MODIFIERS = [] as const

const CURRENCIES = 'urn:iso:std:iso:4217'

type Convert = (value: number) => number
const asItIs: Convert = (value) => value

/** The parameter of entries that can be compared with each other. */
const comparableParam = (param: string, system: string, code: string): string => `${param}:${system}|${code}`

/**
 * Parses `number|system|code`, the number with an optional prefix. "The system and code follow the same pattern as
 * token parameters are also optional": so `number|system|` and `number|system` match any unit of the system, and
 * `number||code` any system.
 */
export function parseQuantity(param: string, text: string, context: ValueContext): Condition {
  const [digits = '', system = '', code = '', ...rest] = splitUnescaped(text, '|').map(unescaped)
  const number = readNumber(digits)
  if (number === undefined) {
    throw malformed(
      context,
      text,
      `does not begin with a number; write ${NUMBER_IN_WORDS}, and then |system|code or ||code for the unit`,
    )
  }
  if (rest.length > 0) {
    const right = `${digits}|system|code, ${digits}||code or ${digits}`
    throw malformed(context, text, `has more than one unit after its '|'; write ${right}`)
  }
  if (code === '') return asWritten(param, number, system === '' ? {} : { system })
  if (system === '') return asWritten(param, number, { code })
  const unit = baseOf(system, code)
  if (system === UCUM && baseUnit(code) === undefined) context.hint(unknownUnit(text, code, context))
  return any(
    boundsOfNumber(number, unit.toBase).map((bounds) => {
      return { kind: 'number', param: comparableParam(param, system, unit.code), bounds }
    }),
  )
}

const asWritten = (
  param: string,
  number: NumberText,
  unit: { readonly system?: string; readonly code?: string },
): Condition => any(boundsOfNumber(number).map((bounds) => ({ kind: 'quantity', param, bounds, ...unit })))

const unknownUnit = (text: string, code: string, { name }: ValueContext): string =>
  `${name}=${text}: '${code}' is no unit of UCUM, so it finds only what is stored with the very same code; close to it ` +
  `are ${closestUnits(code).join(', ')}. For a unit of no system write ||${code}`

/** The content of a Quantity or a Range. */
interface Stated {
  readonly low: End | undefined
  readonly high: End | undefined
  readonly system: string
  readonly code: string
  readonly unit: string
  /** Set for a Range written in two units, which is converted to their base unit. */
  readonly converted?: true
}

interface End {
  readonly value: number
  /** True for `<` and `>`, which exclude the value itself. */
  readonly open: boolean
}

/**
 * Extracts a Quantity (Age, Duration, Count), Money or Range. One without a value, and SampledData, are found only by
 * :missing.
 */
export function extractQuantity(param: string, value: unknown, entries: IndexEntry[]): void {
  if (!isObject(value)) return
  const stated = isObject(value.low) || isObject(value.high) ? rangeOf(value) : quantityOf(value)
  if (stated === undefined) addPresence(param, entries)
  else addQuantity(param, stated, entries)
}

function addQuantity(param: string, stated: Stated, entries: IndexEntry[]): void {
  const { system, code, unit } = stated
  const written = limitsOf(stated, asItIs)
  if (stated.converted) addPresence(param, entries)
  else entries.push({ kind: 'quantity', param, ...written, system, code })
  // R4: "either the code or the stated human unit".
  if (unit !== '' && unit !== code) entries.push({ kind: 'quantity', param, ...written, system: '', code: unit })
  const base = system === '' || code === '' ? undefined : baseOf(system, code)
  const compared = base === undefined ? written : limitsOf(stated, base.toBase)
  if (base !== undefined)
    entries.push({ kind: 'number', param: comparableParam(param, system, base.code), ...compared })
  entries.push({ kind: 'number', param, ...compared })
}

/** The base unit of a code; one that cannot be converted is comparable only with itself. */
const baseOf = (system: string, code: string): BaseUnit =>
  (system === UCUM ? baseUnit(code) : undefined) ?? { code, toBase: asItIs }

function quantityOf(quantity: Record<string, unknown>): Stated | undefined {
  const { value, comparator, system, code, unit, currency } = quantity
  if (!isNumber(value)) return undefined
  const end = { value: Number(value), open: comparator === '<' || comparator === '>' }
  return {
    low: comparator === '<' || comparator === '<=' ? undefined : end,
    high: comparator === '>' || comparator === '>=' ? undefined : end,
    ...(currency === undefined
      ? { system: textOf(system), code: textOf(code), unit: textOf(unit) }
      : { system: CURRENCIES, code: textOf(currency), unit: '' }),
  }
}

/**
 * A Range with both ends in the unit of the first one present; undefined where the unit of the other cannot be compared
 * with it.
 */
function rangeOf({ low, high }: Record<string, unknown>): Stated | undefined {
  const [from, to] = [low, high].map((end) =>
    isObject(end) ? quantityOf({ ...end, comparator: undefined }) : undefined,
  )
  const first = from ?? to
  if (first === undefined) return undefined
  const isSame = to === undefined || (to.system === first.system && to.code === first.code && to.unit === first.unit)
  if (isSame) return { ...first, low: from?.low, high: to?.high }
  if (first.system === '' || first.code === '' || first.system !== to.system) return undefined
  const [one, other] = [baseOf(first.system, first.code), baseOf(to.system, to.code)]
  if (one.code !== other.code) return undefined
  return {
    system: first.system,
    code: one.code,
    unit: '',
    converted: true,
    low: converted(from?.low, one),
    high: converted(to.high, other),
  }
}

const converted = (end: End | undefined, { toBase }: BaseUnit): End | undefined =>
  end && { ...end, value: toBase(end.value) }

/** The limits of a quantity; an absent end is the extreme number. */
function limitsOf({ low, high }: Stated, convert: Convert): { readonly low: number; readonly high: number } {
  const least = low === undefined ? -Number.MAX_VALUE : low.open ? -previous(-convert(low.value)) : convert(low.value)
  const most = high === undefined ? Number.MAX_VALUE : high.open ? previous(convert(high.value)) : convert(high.value)
  return { low: finite(Math.min(least, most)), high: finite(Math.max(least, most)) }
}

const finite = (value: number): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value))

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
