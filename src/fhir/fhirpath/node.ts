/**
 * Nodes of a resource: the value, the `_name` of a primitive, and the parent; and facts about R4 data that plain JSON does not
 * show: choice elements and the type hierarchy (https://hl7.org/fhir/R4/datatypes.html).
 */
import { choiceElements, choiceTypes, elementsByKey, typeHierarchy } from '../definitions.ts'
import { isObject } from '../resource.ts'
import { Moment } from './moment.ts'
import { Quantity } from './quantity.ts'

export class Node {
  /** null or undefined when a primitive has extensions but no value. */
  readonly value: unknown
  /** `id` and `extension` of a primitive: https://hl7.org/fhir/R4/json.html#primitive. */
  readonly sibling: unknown
  readonly parent: Node | undefined
  /** The JSON name, `valueQuantity`. */
  readonly property: string
  /** The type suffix of a choice element, `Quantity`. */
  readonly suffix: string | undefined
  /** Cache of definedTypeOf(). */
  type: string | undefined
  constructor(value: unknown, sibling?: unknown, parent?: Node, property = '', suffix?: string) {
    this.value = value
    this.sibling = sibling
    this.parent = parent
    this.property = property
    this.suffix = suffix
  }
}

/** A node of a resource, or a computed or literal value. */
export type Item = Node | Moment | Quantity | string | number | boolean | object
export type Collection = readonly Item[]

export const rawValue = (item: Item): unknown => (item instanceof Node ? item.value : item)

/** Appends the children of `parent` that a path step `name` selects. */
export type NodeStep = (parent: Node, into: Item[]) => void

/** The same for any item; only nodes have children. */
export const ofNodes =
  (step: NodeStep) =>
  (item: Item, into: Item[]): void => {
    if (item instanceof Node) step(item, into)
  }

export function compileStep(name: string): NodeStep {
  const underscored = `_${name}`
  const choice = choiceElements.has(name)
  return (parent, into) => {
    const holder = isObject(parent.value) ? parent.value : parent.sibling
    if (!isObject(holder)) return
    const value = holder[name]
    const sibling = holder[underscored]
    if (value !== undefined || sibling !== undefined) return append(parent, name, undefined, value, sibling, into)
    const property = choice ? choiceProperty(holder, name) : undefined
    if (property !== undefined) appendProperty(parent, holder, property, property.slice(name.length), into)
  }
}

const appendProperty = (
  parent: Node,
  holder: Record<string, unknown>,
  property: string,
  suffix: string | undefined,
  into: Item[],
): void => append(parent, property, suffix, holder[property], holder[`_${property}`], into)

function append(
  parent: Node,
  property: string,
  suffix: string | undefined,
  value: unknown,
  sibling: unknown,
  into: Item[],
): void {
  if (!Array.isArray(value) && !Array.isArray(sibling)) {
    if (value != null || sibling != null) into.push(new Node(value, sibling, parent, property, suffix))
    return
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : []
  const siblings: readonly unknown[] = Array.isArray(sibling) ? sibling : []
  for (let index = 0; index < Math.max(values.length, siblings.length); index++) {
    append(parent, property, suffix, values[index], siblings[index], into)
  }
}

export function appendChildren(parent: Node, into: Item[]): void {
  const holder = isObject(parent.value) ? parent.value : parent.sibling
  if (!isObject(holder)) return
  for (const key in holder) {
    if (key === 'resourceType') continue
    const property = key.startsWith('_') ? key.slice(1) : key
    if (property === key || holder[property] === undefined) appendProperty(parent, holder, property, undefined, into)
  }
}

export const resourceTypeOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value.resourceType === 'string' ? value.resourceType : undefined

/** `Quantity` for the choice `value` written as `valueQuantity`; undefined when the property has no suffix. */
export const choiceSuffixOf = (name: string, property: string): string | undefined =>
  property === name ? undefined : property.slice(name.length)

/** Whether the item is of the type named in `is`, `as` or `ofType`; `name` has no namespace. */
export function isOfType(item: Item, name: string): boolean {
  const value = rawValue(item)
  const resourceType = resourceTypeOf(value)
  if (resourceType !== undefined) return isResourceTypeOf(resourceType, name)
  if (isObject(value) && /^[a-z]/.test(name)) return false
  const type = typeOf(item)
  return type !== undefined && isTypeOf(type, name)
}

const typeOf = (item: Item): string | undefined => {
  if (item instanceof Moment) return item.kind
  if (item instanceof Quantity) return 'Quantity'
  return item instanceof Node ? (definedTypeOf(item) ?? systemTypeOf(item.value)) : systemTypeOf(item)
}

function systemTypeOf(value: unknown): string | undefined {
  if (typeof value === 'boolean') return 'Boolean'
  if (typeof value === 'string') return 'String'
  if (typeof value === 'number' || value instanceof Number)
    return Number.isInteger(Number(value)) ? 'Integer' : 'Decimal'
  return undefined
}

/** The type that R4 defines for the node: `dateTime`, `HumanName`, `Patient.contact`. */
function definedTypeOf(node: Node): string | undefined {
  node.type ??= findType(node)
  return node.type
}

function findType({ suffix, parent, property }: Node): string | undefined {
  if (suffix !== undefined) return typeOfSuffix(suffix)
  const holder = parent && (resourceTypeOf(parent.value) ?? definedTypeOf(parent))
  return holder && elementsByKey(holder).get(property)?.properties.get(property)
}

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
const typeOfSuffix = (suffix: string): string => choiceTypes.get(suffix) ?? suffix

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
function isTypeOf(type: string, expected: string): boolean {
  const hierarchy = typeHierarchy(type)
  if (hierarchy.includes(expected) || SYSTEM_TYPES.get(expected)?.some((one) => hierarchy.includes(one))) return true
  // A literal `true` or 'x' has only a System type, which matches the FHIR type of the same name.
  return SYSTEM_TYPES.has(type) && expected === type.charAt(0).toLowerCase() + type.slice(1)
}

/** `isTypeOf` for resources, most of which are of another type. */
export const isResourceTypeOf = (type: string, expected: string): boolean =>
  type === expected || typeHierarchy(type).includes(expected)
