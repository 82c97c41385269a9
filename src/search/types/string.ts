/** String parameters: https://hl7.org/fhir/R4/search.html#string. */
import { isObject } from '../../fhir/resource.ts'
import { type Condition, fold, type IndexEntry } from '../plan.ts'
import { malformed, unescaped, type ValueContext } from '../value.ts'

export const STRING_MODIFIERS = ['exact', 'contains'] as const

/** The parts of a HumanName and of an Address that are text; `name=` and `address=` find any of them. */
export const TEXT_PARTS: readonly string[] = [
  'text',
  'family',
  'given',
  'prefix',
  'suffix',
  'line',
  'city',
  'district',
  'state',
  'postalCode',
  'country',
]

/** Without modifier: what begins with the value, whatever the case, accents and punctuation. */
export function parseString(
  param: string,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Condition {
  const value = unescaped(text)
  if (modifier === 'exact') return { kind: 'string', param, match: 'exact', value }
  const folded = fold(value)
  if (folded === '') throw malformed(context, value, 'holds no letter or digit to compare')
  return { kind: 'string', param, match: modifier === 'contains' ? 'contains' : 'prefix', value: folded }
}

/**
 * Every part of a name or address is an entry of its own, so that a prefix finds each of them. One without any text
 * leaves an empty entry, which no search finds but :missing sees.
 */
export function extractString(param: string, value: unknown, entries: IndexEntry[]): void {
  if (typeof value === 'string') addString(param, value, entries)
  else if (isObject(value)) {
    const before = entries.length
    for (const part of TEXT_PARTS) addParts(param, value[part], entries)
    if (entries.length === before) addString(param, '', entries)
  }
}

function addParts(param: string, part: unknown, entries: IndexEntry[]): void {
  if (part === undefined) return
  if (Array.isArray(part)) for (const item of part) addParts(param, item, entries)
  else if (typeof part === 'string') addString(param, part, entries)
}

export function addString(param: string, exact: string, entries: IndexEntry[]): void {
  entries.push({ kind: 'string', param, folded: fold(exact), exact })
}
