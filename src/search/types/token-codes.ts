/**
 * The token modifiers that stand for other codes, :in, :not-in, :above and :below:
 * https://hl7.org/fhir/R4/search.html#token and https://hl7.org/fhir/R4/search.html#mimetype.
 */
import { localReference } from '../../fhir/reference.ts'
import { isObject, itemsOf } from '../../fhir/resource.ts'
import { fold } from '../../fhir/text-folding.ts'
import type { Direction } from '../lookup.ts'
import type { SearchParameter, SearchParameterRecord } from '../parameters.ts'
import { type Condition, type IndexEntry, textOrderParam } from '../plan.ts'
import { malformed, splitUnescaped, unescaped, type ValueContext } from '../value.ts'

export const CODES_MODIFIERS = ['in', 'not-in', 'above', 'below'] as const

/** Parses a value with such a modifier; the caller negates `:not-in`. */
export function parseTokenCodes(
  parameter: SearchParameter,
  modifier: (typeof CODES_MODIFIERS)[number],
  text: string,
  context: ValueContext,
): Condition {
  switch (modifier) {
    case 'in':
    case 'not-in':
      return inValueSet(parameter.code, text, context)
    case 'above':
    case 'below':
      return aboveOrBelow(parameter, modifier, text, context)
  }
}

/**
 * A condition on the codes of a value set, named by its url, with or without version, or by its address on this server.
 */
function inValueSet(param: string, text: string, context: ValueContext): Condition {
  const canonical = unescaped(text)
  const local = localReference(canonical, context.baseUrl)
  if (local !== undefined && local.type !== 'ValueSet') throw malformed(context, canonical, 'is no ValueSet')
  if (local === undefined && !/^[a-z][a-z0-9+.-]*:\S+$/i.test(canonical)) {
    throw malformed(context, canonical, 'is no value set; write its url, its url|version or ValueSet/id')
  }
  const valueSet = local === undefined ? canonical : `ValueSet/${local.id}`
  return context.lookUp({ kind: 'value-set', name: `${context.name}=${canonical}`, param, valueSet })
}

function aboveOrBelow(
  parameter: SearchParameter,
  direction: Direction,
  text: string,
  context: ValueContext,
): Condition {
  const { code: param, system: own, expression } = parameter
  const parts = splitUnescaped(text, '|').map(unescaped)
  const [first = '', second] = parts
  if (expression.endsWith('.contentType') && parts.length === 1) return mediaTypes(param, direction, first, context)
  const [system, code] = second === undefined ? [own, first] : [first, second]
  if (system === undefined || system === '' || code === '' || parts.length > 2) {
    throw malformed(context, text, `names no code of a code system; write ${context.name}=system|code`)
  }
  return context.lookUp({ kind: 'code', name: `${context.name}=${text}`, param, direction, system, code })
}

function mediaTypes(param: string, direction: Direction, mediaType: string, context: ValueContext): Condition {
  if (direction === 'above') throw malformed(context, mediaType, 'is a media type, which has nothing above; use :below')
  const { types } = context
  return context.lookUp({ kind: 'media-type', name: `${context.name}=${mediaType}`, param, types, mediaType })
}

/** Prefixes that sort after every code, and before every code. */
const [LAST, FIRST] = ['\u{10FFFF}', '\u0001']
/** Most characters of a text. */
const MOST_CHARACTERS = 100

/**
 * The order of concepts that are only text, for which R4 leaves `_sort` to the server
 * (https://hl7.org/fhir/R4/search.html#sort): like resources without a value, they come after all that have a code, in
 * either direction; among themselves they are in the order of their texts. Adds one entry for each direction, under
 * derived names that only `_sort` uses.
 */
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
  const codings = itemsOf(coding).filter(isObject)
  if (codings.some((one) => one.code !== undefined)) return ''
  const texts = [text, display, ...codings.map((one) => one.display)]
  return texts.find((one) => typeof one === 'string') ?? ''
}
