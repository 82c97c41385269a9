/**
 * Facts about R4 data that plain JSON does not show: choice elements and the type hierarchy
 * (https://hl7.org/fhir/R4/datatypes.html).
 */
import { choiceTypes, typeHierarchy } from '../definitions.ts'

const SYSTEM_TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Boolean: ['boolean'],
    String: ['string', 'uri', 'base64Binary', 'xhtml'],
    Integer: ['integer'],
    Decimal: ['decimal'],
    Date: ['date'],
    DateTime: ['date', 'dateTime', 'instant'],
    Time: ['time'],
  }),
)

/** `Quantity` -> `Quantity`, `DateTime` -> `dateTime`; a type is itself. */
export const typeOfSuffix = (suffix: string): string => choiceTypes.get(suffix) ?? suffix

/** The suffixes of `value[x]` whose values are of `type`. */
export const suffixesOf = (type: string): readonly string[] =>
  [...choiceTypes].flatMap(([suffix, own]) => (isTypeOf(own, type) ? [suffix] : []))

/** The JSON name of the choice element `name` in `object`, without the `_` of one that has only extensions. */
export function choiceProperty(object: object, name: string): string | undefined {
  for (const key in object) {
    const property = key.startsWith('_') ? key.slice(1) : key
    if (property.startsWith(name) && choiceTypes.has(property.slice(name.length))) return property
  }
  return undefined
}

/** A type specifier without the namespace FHIR or System, which cannot be distinguished in JSON. */
export const withoutNamespace = (type: string): string => type.replace(/^(?:FHIR|System)\./, '')

/** Whether `type` is `expected` or derived from it; System types such as `Boolean` match their FHIR types too. */
export function isTypeOf(type: string, expected: string): boolean {
  const hierarchy = typeHierarchy(type)
  if (hierarchy.includes(expected) || SYSTEM_TYPES.get(expected)?.some((one) => hierarchy.includes(one))) return true
  // A literal `true` or 'x' has only a System type, which matches the FHIR type of the same name.
  return SYSTEM_TYPES.has(type) && expected === type.charAt(0).toLowerCase() + type.slice(1)
}

/** `isTypeOf` for resources, most of which are of another type. */
export const isResourceTypeOf = (type: string, expected: string): boolean =>
  type === expected || typeHierarchy(type).includes(expected)
