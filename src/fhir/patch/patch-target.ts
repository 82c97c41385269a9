/** Elements of a resource that a patch may change, in their JSON representation: https://hl7.org/fhir/R4/json.html. */
import { type ElementStructure, elementsByKey, elementsByName, structureOf } from '../definitions.ts'
import { choiceSuffixOf, Node } from '../fhirpath/node.ts'
import { isObject, type JsonObject } from '../resource.ts'

/** The position of a target: an element of `holder`, in the JSON properties `property` and `_property`. */
export interface TargetPosition {
  readonly holder: PatchTarget
  readonly element: ElementStructure
  readonly property: string
  /** The index in a list. */
  readonly index: number | undefined
}

export interface PatchTarget {
  /** `HumanName`, `date`, `Patient.contact` for a backbone element, `Patient` for a resource. */
  readonly type: string
  /** The node for FHIRPath. */
  readonly node: Node
  /** Undefined for the resource itself. */
  readonly at: TargetPosition | undefined
}

/** The value of an element. */
export interface ElementValue {
  readonly value: unknown
  /** `id` and `extension` of a primitive. */
  readonly sibling: unknown
}

export const rootOf = (resource: JsonObject): PatchTarget => ({
  type: String(resource.resourceType),
  node: new Node(resource),
  at: undefined,
})

export const isPrimitive = (type: string): boolean => structureOf(type)?.kind === 'primitive-type'

/** Finds an element by its name in FHIRPath (`deceased`), definitions (`deceased[x]`) or JSON (`deceasedBoolean`). */
export const elementOf = (type: string, name: string): ElementStructure | undefined =>
  elementsByName(holderOf(type)).get(name.replace(/\[x\]$/, '')) ?? elementsByKey(holderOf(type)).get(name)

export const elementNames = (type: string): readonly string[] => [...elementsByName(holderOf(type)).keys()]

/** The type whose elements a value of `type` may have: a primitive has id and extension. */
const holderOf = (type: string): string => (isPrimitive(type) ? 'Element' : type)

/** The JSON object that holds the child elements of `target`. */
function elementsAt({ type, node }: PatchTarget): JsonObject | undefined {
  const object = isPrimitive(type) ? node.sibling : node.value
  return isObject(object) ? object : undefined
}

/** How often `element` occurs at `target`. */
export function countOf(target: PatchTarget, element: ElementStructure): number {
  const elements = elementsAt(target)
  if (elements === undefined) return 0
  return element.properties.keys().reduce((sum, property) => sum + listAt(elements, property).length, 0)
}

/** Every occurrence of `element` at `target`, in order. */
export const childrenOf = (target: PatchTarget, element: ElementStructure): readonly PatchTarget[] =>
  Array.from({ length: countOf(target, element) }, (_none, index) => childAt(target, element, index)).filter(
    (child) => child !== undefined,
  )

/** One occurrence of `element` at `target`, found without looking at the others. */
export function childAt(target: PatchTarget, element: ElementStructure, at: number): PatchTarget | undefined {
  const elements = elementsAt(target)
  if (elements === undefined) return undefined
  let index = at
  for (const [property, type] of element.properties) {
    const list = listAt(elements, property)
    if (index < list.length) return childIn(target, element, { property, type, list, index })
    index -= list.length
  }
  return undefined
}

interface Place {
  readonly property: string
  readonly type: string
  readonly list: List
  readonly index: number
}

function childIn(target: PatchTarget, element: ElementStructure, { property, type, list, index }: Place): PatchTarget {
  const value = list.values[index]
  const suffix = choiceSuffixOf(element.name, property)
  return {
    type: type === 'Resource' && isObject(value) ? String(value.resourceType) : type,
    node: new Node(value ?? undefined, list.siblings[index] ?? undefined, target.node, property, suffix),
    at: { holder: target, element, property, index: list.isList ? index : undefined },
  }
}

/** The arrays of the JSON, not copies of them. */
interface List {
  readonly values: readonly unknown[]
  readonly siblings: readonly unknown[]
  /** Length of the longer array; the other is filled up with null, or shorter. */
  readonly length: number
  readonly isList: boolean
}

const NOTHING: List = { values: [], siblings: [], length: 0, isList: true }

/** A single value as a list of one, an absent one as an empty list. */
function listAt(elements: JsonObject, property: string): List {
  const value = elements[property]
  const sibling = elements[`_${property}`]
  if (value === undefined && sibling === undefined) return NOTHING
  const [values, siblings] = [arrayOf(value), arrayOf(sibling)]
  const isList = Array.isArray(value) || Array.isArray(sibling)
  return { values, siblings, length: Math.max(values.length, siblings.length), isList }
}

const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])

/** Sets a child element of `target`. */
export const setElement = (target: PatchTarget, property: string, content: ElementValue): void =>
  setProperty(writableElements(target), property, content)

export function setProperty(elements: JsonObject, property: string, { value, sibling }: ElementValue): void {
  setOrDelete(elements, property, value)
  setOrDelete(elements, `_${property}`, sibling)
}

/** A change of a list at an index: the number of removed items, and the added ones. */
interface ListChange {
  readonly at: number
  readonly removed: number
  readonly added: readonly ElementValue[]
}

/** Changes a list in place. */
export const changeList = (target: PatchTarget, property: string, change: ListChange): void =>
  spliceList(writableElements(target), property, change)

export function appendTo(elements: JsonObject, property: string, content: ElementValue): void {
  spliceList(elements, property, { at: listAt(elements, property).length, removed: 0, added: [content] })
}

export const append = (target: PatchTarget, property: string, content: ElementValue): void =>
  appendTo(writableElements(target), property, content)

/** Moves an item of a list to another place in it. */
export function moveItem(target: PatchTarget, property: string, from: number, to: number): void {
  const elements = writableElements(target)
  const { values, siblings } = listAt(elements, property)
  const added = [{ value: values[from], sibling: siblings[from] }]
  spliceList(elements, property, { at: from, removed: 1, added: [] })
  spliceList(elements, property, { at: to, removed: 0, added })
}

function spliceList(elements: JsonObject, property: string, { at, removed, added }: ListChange): void {
  const { length } = listAt(elements, property)
  const splice = (name: string, contents: readonly unknown[]) =>
    spliceArray(elements, name, length, { at, removed, contents })
  const values = added.map(({ value }) => value ?? null)
  const siblings = added.map(({ sibling }) => sibling ?? null)
  splice(property, values)
  splice(`_${property}`, siblings)
}

/** Changes one of the two parallel arrays of a list of `length`; an array of nulls is left out. */
function spliceArray(
  elements: JsonObject,
  name: string,
  length: number,
  { at, removed, contents }: { at: number; removed: number; contents: readonly unknown[] },
): void {
  if (elements[name] === undefined && contents.every(isNull)) return
  const list = arrayOf(elements[name])
  while (list.length < length) list.push(null)
  list.splice(at, removed, ...contents)
  setOrDelete(elements, name, list.every(isNull) ? undefined : list)
}

const isNull = (value: unknown): boolean => value === null

function setOrDelete(elements: JsonObject, name: string, value: unknown): void {
  if (value === undefined || value === null) delete elements[name]
  else elements[name] = value
}

/** The object for the child elements of `target`; created for a primitive without id and extensions. */
function writableElements(target: PatchTarget): JsonObject {
  const elements = elementsAt(target)
  if (elements !== undefined) return elements
  const created: JsonObject = {}
  if (target.at !== undefined) put(target.at, { value: target.node.value, sibling: created })
  return created
}

/** Replaces the value at an existing position; `as` differs from the property when a choice changes its type. */
export function put({ holder, property, index }: TargetPosition, content: ElementValue, as = property): void {
  if (index !== undefined) {
    changeList(holder, property, { at: index, removed: 1, added: [content] })
    return
  }
  if (as !== property) setElement(holder, property, { value: undefined, sibling: undefined })
  setElement(holder, as, content)
}

/** Removes the element at a position, and the elements around it that become empty. */
export function remove({ holder, property, index }: TargetPosition): void {
  if (index === undefined) setElement(holder, property, { value: undefined, sibling: undefined })
  else changeList(holder, property, { at: index, removed: 1, added: [] })
  if (holder.at !== undefined && isEmpty(holder)) remove(holder.at)
}

/** ele-1: an element has a value or children besides its id. */
const isEmpty = (target: PatchTarget): boolean =>
  !(isPrimitive(target.type) && target.node.value !== undefined) &&
  Object.keys(elementsAt(target) ?? {}).every((name) => name === 'id')
