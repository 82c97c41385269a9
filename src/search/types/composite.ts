/**
 * Composite parameters: https://hl7.org/fhir/R4/search.html#composite. Several values that belong together,
 * `code$value`.
 */
import type { Expression } from '../../fhir/fhirpath/fhirpath.ts'
import { FhirError } from '../../fhir/outcome.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import type { ComponentParameter, SearchParameter } from '../parameters.ts'
import type { Condition, IndexEntry, PartCondition, PartEntry } from '../plan.ts'
import { caseInsensitive } from '../token-case.ts'
import { any, malformed, splitUnescaped, type ValueContext } from '../value.ts'

export const COMPOSITE_MODIFIERS = [] as const

/** Most combinations of values that are indexed for one repetition, of which each part may have several. */
const MAX_COMBINATIONS = 256

type ParsePart = (parameter: ComponentParameter, text: string) => Condition

/**
 * Parses each part in the syntax of its own parameter, prefixes included; R4 has no modifiers here. The values come in
 * the order of the definition; two may be reversed where only that makes sense: `gt5.4$2823-3`.
 */
export function parseComposite(
  { code: param, parts = [] }: SearchParameter,
  text: string,
  context: ValueContext,
  parse: ParsePart,
): Condition {
  const texts = splitUnescaped(text, '$')
  if (texts.length !== parts.length || texts.includes('')) {
    const [names, types] = [parts.map(({ code }) => code).join('$'), parts.map(({ type }) => type).join(', ')]
    throw malformed(context, text, `is not ${parts.length} values; write ${names} (${types}), and '\\$' within a value`)
  }
  const alternatives = parsedOrders(parts, texts, parse).flatMap((order) => combined(order.map(alternativesOf)))
  return any(alternatives.map((one) => ({ kind: 'composite', param, parts: one })))
}

/**
 * The values in the order of the definition or, where that makes no sense, in the other one. Both, where a code and a
 * reference can be mistaken for each other: the definition of `relationship` (DocumentReference) has one order in its
 * parameters and the other in the expressions of its components.
 * @throws FhirError 400 for the error in the order of the definition, where the other one is not right either
 */
function parsedOrders(
  parts: readonly ComponentParameter[],
  texts: readonly string[],
  parse: ParsePart,
): readonly (readonly Condition[])[] {
  const inOrder = attempt(parts, texts, parse)
  const isEither =
    parts.length === 2 && parts.some(({ type }) => type === 'reference') && parts.some(({ type }) => type === 'token')
  if (!(inOrder instanceof FhirError) && !isEither) return [inOrder]
  const reversed = parts.length === 2 ? attempt(parts, texts.toReversed(), parse) : inOrder
  const found = [inOrder, reversed].flatMap((one) => (one instanceof FhirError ? [] : [one]))
  if (found.length === 0 && inOrder instanceof FhirError) throw inOrder
  return found
}

function attempt(
  parts: readonly ComponentParameter[],
  texts: readonly string[],
  parse: ParsePart,
): readonly Condition[] | FhirError {
  try {
    return parts.map((part, index) => parse(part, texts[index] ?? ''))
  } catch (error) {
    if (error instanceof FhirError) return error
    throw error
  }
}

/** The alternatives of a condition; `ne`, for instance, has two ranges. */
function alternativesOf(condition: Condition): readonly PartCondition[] {
  if (condition.kind === 'any') return condition.of.flatMap(alternativesOf)
  if (isPart(condition)) return [condition]
  throw new Error(`A condition of kind ${condition.kind} can't be a part of a composite one`)
}

function isPart(condition: Condition): condition is PartCondition {
  switch (condition.kind) {
    case 'token':
    case 'reference':
    case 'date':
    case 'number':
    case 'quantity':
      return true
    case 'string':
      return condition.match === 'prefix'
    case 'uri':
      return condition.match === 'exact'
    case 'any':
    case 'all':
    case 'not':
    case 'unequal':
    case 'words':
    case 'token-part':
    case 'position':
    case 'composite':
    case 'missing':
    case 'id':
    case 'type':
    case 'lastUpdated':
    case 'chain':
    case 'has':
      return false
  }
}

/** The values of the parts, one list for each, of every repetition. */
export const repetitions =
  (base: Expression, parts: readonly Expression[]) =>
  (
    resource: AnyResource,
    { container: rootResource = resource }: { readonly container?: AnyResource },
  ): readonly (readonly (readonly unknown[])[])[] =>
    base
      .evaluate(resource, { keepDuplicates: true, resource, rootResource })
      .map((repetition) => parts.map((part) => part.evaluate(repetition, { resource, rootResource })))

type ExtractPart = (parameter: ComponentParameter, value: unknown, entries: IndexEntry[]) => void

/** One entry for each combination of the values of one repetition; none where a part has no value. */
export function extractComposite(
  { code: param, parts = [] }: SearchParameter,
  values: unknown,
  entries: IndexEntry[],
  extract: ExtractPart,
): void {
  if (!Array.isArray(values)) return
  const found = parts.map((part, index) => {
    const own: IndexEntry[] = []
    for (const value of values[index] ?? []) extract(part, value, own)
    return own.filter((entry) => isCompared(entry, part)).slice(0, MAX_COMBINATIONS)
  })
  for (const one of combined(found)) entries.push({ kind: 'composite', param, parts: one })
}

/** False for entries of :text, :identifier, :missing and _sort, which parts do not use. */
function isCompared(entry: IndexEntry, { code, type }: ComponentParameter): entry is PartEntry {
  switch (entry.kind) {
    case 'composite':
    case 'position':
    case 'inner':
      return false
    case 'number':
      return type === 'number' || entry.param !== code
    case 'token':
      return isTokenOf(code, entry.param) && entry.kind === type && entry.system + entry.code !== ''
    case 'reference':
      return entry.param === code && entry.type + entry.id !== ''
    default:
      return entry.param === code && entry.kind === type
  }
}

const isTokenOf = (code: string, param: string): boolean => param === code || param === caseInsensitive(code)

/** Every combination of one value from each list; the first ones where they are too many. */
const combined = <Value>(lists: readonly (readonly Value[])[]): readonly (readonly Value[])[] =>
  lists.reduce<readonly (readonly Value[])[]>(
    (chosen, list) => chosen.flatMap((some) => list.map((one) => [...some, one])).slice(0, MAX_COMBINATIONS),
    [[]],
  )
