/**
 * The order of concepts that are only text, for which R4 leaves `_sort` to the server
 * (https://hl7.org/fhir/R4/search.html#sort): like resources without a value, they come after all that have a code, in
 * either direction; among themselves they are in the order of their texts.
 */
import { isObject } from '../../fhir/resource.ts'
import { fold } from '../../fhir/text-folding.ts'
import type { SearchParameterRecord } from '../parameters.ts'
import { type IndexEntry, textOrderParam } from '../plan.ts'

/** Prefixes that sort after every code, and before every code. */
const [LAST, FIRST] = ['\u{10FFFF}', '\u0001']
/** Most characters of a text. */
const MOST_CHARACTERS = 100

/** Adds one entry for each direction, under derived names that only `_sort` uses. */
export function extractTextOrder(
  { code, element }: SearchParameterRecord,
  value: unknown,
  entries: IndexEntry[],
): void {
  const text = element === 'ContactPoint' || !isObject(value) ? '' : textAlone(value)
  const folded = fold(text.slice(0, MOST_CHARACTERS))
  if (folded === '') return
  const token = { kind: 'token', system: '' } as const
  entries.push({ ...token, param: textOrderParam(code, false), code: LAST + folded })
  entries.push({ ...token, param: textOrderParam(code, true), code: FIRST + folded })
}

/** The text of a CodeableConcept or Coding without any code; an Identifier or a Quantity has none to be sorted by. */
function textAlone({ coding, text, code, display, value, type }: Record<string, unknown>): string {
  if (value !== undefined || type !== undefined || code !== undefined) return ''
  const codings = Array.isArray(coding) ? coding.filter(isObject) : []
  if (codings.some((one) => one.code !== undefined)) return ''
  const texts = [text, display, ...codings.map((one) => one.display)]
  return texts.find((one) => typeof one === 'string') ?? ''
}
