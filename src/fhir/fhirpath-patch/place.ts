/** A place in a resource that a patch may change: https://hl7.org/fhir/R4/json.html says how JSON holds lists and primitives. */
import { type ElementStructure, structureOf } from '../definitions.ts'
import { choiceSuffixOf, Node } from '../fhirpath/node.ts'
import { isObject } from '../resource.ts'

export type JsonObject = Record<string, unknown>

/** Where a place is: an element of `holder`, in JSON under `property` and beside it, under `_property`. */
export interface Position {
  readonly holder: Place
  readonly element: ElementStructure
  readonly property: string
  /** In a list. */
  readonly index: number | undefined
}

export interface Place {
  /** What stands here: `HumanName`, `date`, `Patient.contact` for a backbone element, `Patient` for a resource. */
  readonly type: string
  /** As FHIRPath sees it. */
  readonly node: Node
  /** undefined for the resource itself. */
  readonly at: Position | undefined
}

/** What stands, or is to stand, at a place. */
export interface Content {
  readonly value: unknown
  /** `id` and `extension` of a primitive. */
  readonly sibling: unknown
}

export const rootOf = (resource: JsonObject): Place => ({
  type: String(resource.resourceType),
  node: new Node(resource),
  at: undefined,
})

export const isPrimitive = (type: string): boolean => structureOf(type)?.kind === 'primitive-type'

/** By its FHIRPath name (`deceased`), as definitions write a choice (`deceased[x]`), or as JSON does (`deceasedBoolean`). */
export function elementOf(type: string, name: string): ElementStructure | undefined {
  const { elements = [] } = structureOf(isPrimitive(type) ? 'Element' : type) ?? {}
  return elements.find((element) => element.name === name.replace(/\[x\]$/, '') || element.properties.has(name))
}

export const elementNames = (type: string): readonly string[] =>
  (structureOf(isPrimitive(type) ? 'Element' : type)?.elements ?? []).map(({ name }) => name)

/** The object that holds the elements of what stands at `place`. */
function elementsAt({ type, node }: Place): JsonObject | undefined {
  const object = isPrimitive(type) ? node.sibling : node.value
  return isObject(object) ? object : undefined
}

/** Every occurrence of `element` at `place`, in order. */
export function childrenOf(place: Place, element: ElementStructure): readonly Place[] {
  const elements = elementsAt(place)
  if (elements === undefined) return []
  return [...element.properties].flatMap(([property, type]) => {
    const { values, siblings, isList } = listAt(elements, property)
    return values.map((value, index): Place => {
      const suffix = choiceSuffixOf(element.name, property)
      return {
        type: type === 'Resource' && isObject(value) ? String(value.resourceType) : type,
        node: new Node(value ?? undefined, siblings[index] ?? undefined, place.node, property, suffix),
        at: { holder: place, element, property, index: isList ? index : undefined },
      }
    })
  })
}

interface List {
  readonly values: unknown[]
  /** As many as values; null where there is nothing. */
  readonly siblings: unknown[]
  readonly isList: boolean
}

/** Both arrays of a list, equally long; a single element as a list of one, an absent one as an empty list. */
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

/** Puts `content` where `place` has no such element yet. */
export const setElement = (place: Place, property: string, content: Content): void =>
  setProperty(writableElements(place), property, content)

export function setProperty(elements: JsonObject, property: string, { value, sibling }: Content): void {
  setOrDelete(elements, property, value)
  setOrDelete(elements, `_${property}`, sibling)
}

/** Gets the items of a list, and gives those it shall have; an empty list disappears. */
type ListChange = (items: readonly Content[]) => readonly Content[]

export const changeList = (place: Place, property: string, change: ListChange): void =>
  changeItems(writableElements(place), property, change)

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

/** A primitive that had neither id nor extension gets room for them. */
function writableElements(place: Place): JsonObject {
  const elements = elementsAt(place)
  if (elements !== undefined) return elements
  const made: JsonObject = {}
  if (place.at !== undefined) put(place.at, { value: place.node.value, sibling: made })
  return made
}

/** Puts `content` at a position that exists; another type of a choice gets another property. */
export function put({ holder, property, index }: Position, content: Content, as = property): void {
  if (index !== undefined) {
    changeList(holder, property, (items) => items.with(index, content))
    return
  }
  if (as !== property) setElement(holder, property, { value: undefined, sibling: undefined })
  setElement(holder, as, content)
}

/** Takes out what stands at a position, and every element around it that is empty without it. */
export function remove({ holder, property, index }: Position): void {
  if (index === undefined) setElement(holder, property, { value: undefined, sibling: undefined })
  else changeList(holder, property, (items) => items.toSpliced(index, 1))
  if (holder.at !== undefined && isEmpty(holder)) remove(holder.at)
}

/** ele-1: an element has a value or children besides its id. */
const isEmpty = (place: Place): boolean =>
  !(isPrimitive(place.type) && place.node.value !== undefined) &&
  Object.keys(elementsAt(place) ?? {}).every((name) => name === 'id')
