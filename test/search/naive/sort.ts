/** The order that `_sort` asks for: https://hl7.org/fhir/R4/search.html#sort. */
import { type Parameter, parametersOf } from './definitions.ts'
import { elementsOf, isObject, objectsIn, type Resource, textOf } from './elements.ts'
import { inBaseUnit, statedBy } from './quantities.ts'
import { compareEnds, type Range } from './ranges.ts'
import { compareTexts, plain } from './text.ts'
import { addressOf, dateOf, numberOf, referenceText, type Setting, textsOf, tokensOf, urisOf } from './values.ts'

/** Negative where `one` has to come before `other`; 0 where either may. */
export function compareBy(keys: readonly string[], one: Resource, other: Resource, setting: Setting): number {
  for (const key of keys) {
    const difference = compareByKey(key.replace(/^-/, ''), key.startsWith('-'), one, other, setting)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * The lowest value counts when ascending, the highest when descending; resources without a value come last either way.
 */
function compareByKey(code: string, isDescending: boolean, one: Resource, other: Resource, setting: Setting): number {
  const sign = isDescending ? -1 : 1
  const compare = (left: Value, right: Value) => sign * compareValues(left, right, isDescending)
  const [first, second] = [one, other].map((resource) => [...valuesOf(resource, code, setting)].sort(compare)[0])
  if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined)
  return compare(first, second)
}

/** The text of a concept that has no code. */
interface TextAlone {
  readonly text: string
}
type Value = string | Range | TextAlone

const isTextAlone = (value: Value): value is TextAlone => typeof value === 'object' && 'text' in value

/**
 * Ranges by their beginning when ascending, by their end when descending; text alone comes after all codes either way.
 */
function compareValues(one: Value, other: Value, isDescending: boolean): number {
  if (isTextAlone(one) && isTextAlone(other)) return compareTexts(one.text, other.text)
  if (isTextAlone(one) || isTextAlone(other)) return isTextAlone(one) === isDescending ? -1 : 1
  if (typeof one === 'string' || typeof other === 'string') return compareTexts(String(one), String(other))
  return isDescending ? compareEnds(one.high, other.high) : compareEnds(one.low, other.low)
}

function valuesOf(resource: Resource, code: string, setting: Setting): readonly Value[] {
  if (code === '_id') return [resource.id]
  if (code === '_lastUpdated') return objectsIn(resource['meta']).map(({ lastUpdated }) => textOf(lastUpdated))
  const parameter = parametersOf(resource.resourceType).get(code)
  if (parameter === undefined) return []
  return elementsOf(resource, parameter.expression).flatMap((value) => sortable(parameter, value, setting))
}

/** Without empty texts, which count as absent. */
const present = (texts: readonly string[]): readonly string[] => texts.filter((text) => text !== '')

/** The code of each coding; where none has a code, the text or display of the concept. */
function codesOf(parameter: Parameter, value: unknown): readonly Value[] {
  const codes = present(tokensOf(parameter, value).map(({ code }) => code))
  if (codes.length > 0 || !isObject(value) || parameter.element === 'ContactPoint') return codes
  if (value['value'] !== undefined || value['type'] !== undefined) return []
  const displays = objectsIn(value['coding']).map(({ display }) => display)
  const text = [value['text'], value['display'], ...displays].find((one) => typeof one === 'string')
  return present([plain(textOf(text).slice(0, 100))]).map((one) => ({ text: one }))
}

function sortable(parameter: Parameter, value: unknown, setting: Setting): readonly Value[] {
  switch (parameter.type) {
    case 'string':
      return present(textsOf(value).map(plain))
    case 'token':
      return codesOf(parameter, value)
    case 'reference': {
      const reference = referenceText(value)
      return [addressOf(reference, setting)?.id ?? reference.replace(/\|.*$/, '')]
    }
    case 'uri':
      return urisOf(value)
    case 'date':
      return [dateOf(parameter, value)].filter((range) => range !== undefined)
    case 'number':
      return [numberOf(value)].filter((range) => range !== undefined)
    case 'quantity':
      return [statedBy(value)].flatMap((stated) => (stated === undefined ? [] : [inBaseUnit(stated)]))
    default:
      return []
  }
}
