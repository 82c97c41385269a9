/** Elements of a resource that a patch may change, in their JSON representation: https://hl7.org/fhir/R4/json.html. */
import { type ElementStructure, structureOf } from '../definitions.ts'
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
export function elementOf(type: string, name: string): ElementStructure | undefined {
  const { elements = [] } = structureOf(isPrimitive(type) ? 'Element' : type) ?? {}
  return elements.find((element) => element.name === name.replace(/\[x\]$/, '') || element.properties.has(name))
}

export const elementNames = (type: string): readonly string[] =>
  (structureOf(isPrimitive(type) ? 'Element' : type)?.elements ?? []).map(({ name }) => name)

/** The JSON object that holds the child elements of `target`. */
function elementsAt({ type, node }: PatchTarget): JsonObject | undefined {
  const object = isPrimitive(type) ? node.sibling : node.value
  return isObject(object) ? object : undefined
}

/** Every occurrence of `element` at `target`, in order. */
export function childrenOf(target: PatchTarget, element: ElementStructure): readonly PatchTarget[] {
  const elements = elementsAt(target)
  if (elements === undefined) return []
  return [...element.properties].flatMap(([property, type]) => {
    const { values, siblings, isList } = listAt(elements, property)
    return values.map((value, index): PatchTarget => {
      const suffix = choiceSuffixOf(element.name, property)
      return {
        type: type === 'Resource' && isObject(value) ? String(value.resourceType) : type,
        node: new Node(value ?? undefined, siblings[index] ?? undefined, target.node, property, suffix),
        at: { holder: target, element, property, index: isList ? index : undefined },
      }
    })
  })
}

interface List {
  readonly values: unknown[]
  /** As many as values, null when absent. */
  readonly siblings: unknown[]
  readonly isList: boolean
}

/** Both arrays of a list with equal length; a single value as a list of one, an absent one as an empty list. */
function listAt(elements: JsonObject, property: string): List {
  const value = elements[property]
  const sibling = elements[`_${property}`]
  if (value === undefined && sibling === undefined) return { values: [], siblings: [], isList: true }
  if (!Array.isArray(value) && !Array.isArray(sibling))
    return { values: [value ?? null], siblings: [sibling ?? null], isList: false }
  const [values, siblings] = [[value ?? []].flat(), [sibling ?? []].flat()]
  const length = Math.max(values.length, siblings.length)
  const filled = (list: readonly unknown[]) => Array.from({ length }, (_none, index) => list[index] ?? null)
  return { values: filled(values), siblings: filled(siblings), isList: true }
}

/** Sets a child element of `target`. */
export const setElement = (target: PatchTarget, property: string, content: ElementValue): void =>
  setProperty(writableElements(target), property, content)

export function setProperty(elements: JsonObject, property: string, { value, sibling }: ElementValue): void {
  setOrDelete(elements, property, value)
  setOrDelete(elements, `_${property}`, sibling)
}

/** Maps the items of a list to its new items; an empty list is removed. */
type ListChange = (items: readonly ElementValue[]) => readonly ElementValue[]

export const changeList = (target: PatchTarget, property: string, change: ListChange): void =>
  changeItems(writableElements(target), property, change)

export function changeItems(elements: JsonObject, property: string, change: ListChange): void {
  const { values, siblings } = listAt(elements, property)
  const items = change(values.map((value, index) => ({ value, sibling: siblings[index] })))
  setProperty(elements, property, {
    value: arrayOf(items.map(({ value }) => value)),
    sibling: arrayOf(items.map(({ sibling }) => sibling)),
  })
}

const arrayOf = (items: readonly unknown[]): readonly unknown[] | undefined =>
  items.some((item) => item !== undefined && item !== null) ? items.map((item) => item ?? null) : undefined

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
    changeList(holder, property, (items) => items.with(index, content))
    return
  }
  if (as !== property) setElement(holder, property, { value: undefined, sibling: undefined })
  setElement(holder, as, content)
}

/** Removes the element at a position, and the elements around it that become empty. */
export function remove({ holder, property, index }: TargetPosition): void {
  if (index === undefined) setElement(holder, property, { value: undefined, sibling: undefined })
  else changeList(holder, property, (items) => items.toSpliced(index, 1))
  if (holder.at !== undefined && isEmpty(holder)) remove(holder.at)
}

/** ele-1: an element has a value or children besides its id. */
const isEmpty = (target: PatchTarget): boolean =>
  !(isPrimitive(target.type) && target.node.value !== undefined) &&
  Object.keys(elementsAt(target) ?? {}).every((name) => name === 'id')
