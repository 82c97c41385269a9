/** A place in a resource as a profile looks at it: its value, its type of R4, and where it stands. */
import { type ElementStructure, isResourceType, type Structure, structureOf } from '../fhir/definitions.ts'
import { isObject } from '../fhir/resource.ts'

export interface Item {
  /** Undefined or null where a primitive has an extension and no value. */
  readonly value: unknown
  /** The `_name` beside a primitive. */
  readonly sibling?: unknown
  /** A backbone element's is the path that defines it, `Patient.contact`. */
  readonly type: string
  /** FHIRPath, `Patient.name[0].given[1]`. */
  readonly path: string
  /** The name of the element, `name`; of a resource its type. */
  readonly name: string
  readonly parent?: Item
  /** %resource and %rootResource. */
  readonly resource: Readonly<Record<string, unknown>>
  readonly rootResource: Readonly<Record<string, unknown>>
}

/** A resource that stands for itself. Undefined when R4 has no such type. */
export function itemOf(resource: Readonly<Record<string, unknown>>): Item | undefined {
  const type = resource['resourceType']
  if (!isResourceType(type)) return undefined
  return { value: resource, type, path: type, name: type, resource, rootResource: resource }
}

/** What an element name of FHIRPath selects: `value` stands for `valueQuantity`. */
export function childrenOf(item: Item, name: string): readonly Item[] {
  const element = elementsOf(holderType(item)).get(name)
  return element === undefined ? [] : valuesOf(item, element)
}

/** All that is directly in it and known to R4. */
export function allChildren(item: Item): readonly Item[] {
  const holder = holderOf(item)
  if (holder === undefined) return []
  const elements = namedByKey(holderType(item))
  const present = new Set<ElementStructure>()
  for (const key of Object.keys(holder)) {
    const element = elements.get(key.startsWith('_') ? key.slice(1) : key)
    if (element !== undefined) present.add(element)
  }
  return [...present].flatMap((element) => valuesOf(item, element))
}

/** A primitive's children are those of its `_name`. */
const holderOf = ({ value, sibling }: Item): Readonly<Record<string, unknown>> | undefined =>
  isObject(value) ? value : isObject(sibling) ? sibling : undefined

const holderType = ({ value, type }: Item): string => (isObject(value) ? type : 'Element')

function valuesOf(item: Item, element: ElementStructure): readonly Item[] {
  const holder = holderOf(item)
  if (holder === undefined) return []
  const found: Item[] = []
  for (const [key, type] of element.properties) {
    const [value, sibling] = [holder[key], holder[`_${key}`]]
    if (!Array.isArray(value) && !Array.isArray(sibling)) {
      if (value !== undefined || sibling !== undefined)
        found.push(childOf(item, element.name, '', { type, value, sibling }))
      continue
    }
    const [values, siblings] = [listOf(value), listOf(sibling)]
    for (let index = 0; index < Math.max(values.length, siblings.length); index++) {
      found.push(
        childOf(item, element.name, `[${index}]`, {
          type,
          value: values[index],
          sibling: siblings[index] ?? undefined,
        }),
      )
    }
  }
  return found
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

function childOf(
  parent: Item,
  name: string,
  at: string,
  { type, value, sibling }: { readonly type: string; readonly value: unknown; readonly sibling: unknown },
): Item {
  const { resource, rootResource } = parent
  const place = { value, sibling, name, parent, path: `${parent.path}.${name}${at}` }
  if (type !== 'Resource' || !isObject(value)) return { ...place, type, resource, rootResource }
  const own = value['resourceType']
  return {
    ...place,
    type: isResourceType(own) ? own : 'Resource',
    resource: value,
    rootResource: name === 'contained' ? rootResource : value,
  }
}

type Elements = ReadonlyMap<string, ElementStructure>
const byName = new WeakMap<Structure, Elements>()
const byKey = new WeakMap<Structure, Elements>()
const NONE: Elements = new Map()

/** The elements of a type by their FHIRPath name. */
export function elementsOf(type: string): Elements {
  return indexed(type, byName, (element) => [element.name])
}

/** The same by each of their JSON names. */
export function namedByKey(type: string): Elements {
  return indexed(type, byKey, ({ properties }) => [...properties.keys()])
}

function indexed(
  type: string,
  known: WeakMap<Structure, Elements>,
  namesOf: (element: ElementStructure) => readonly string[],
): Elements {
  const structure = structureOf(type)
  if (structure === undefined) return NONE
  const found = known.get(structure)
  if (found !== undefined) return found
  const made = new Map(
    structure.elements.flatMap((element) => namesOf(element).map((name) => [name, element] as const)),
  )
  known.set(structure, made)
  return made
}

const chains = new Map<string, readonly string[]>()

/** The type and those it is based on: `code`, `string`, `Element`. */
export function chainOf(type: string): readonly string[] {
  const known = chains.get(type)
  if (known !== undefined) return known
  const structure = structureOf(type)
  if (structure === undefined) return [type]
  const chain = [type, ...(structure.base === undefined ? [] : chainOf(structure.base))]
  chains.set(type, chain)
  return chain
}

/** Whether what is of `type` is also of `other`; a profile of a type, such as SimpleQuantity, is the type. */
export const isA = (type: string, other: string): boolean =>
  chainOf(type).includes(other) || (QUANTITIES.has(other) && chainOf(other).includes(type))

/** As a type rule means it: a code is no string there, though it is made of one. */
export const isTyped = (type: string, code: string): boolean =>
  type === code || (structureOf(type)?.kind !== 'primitive-type' && isA(type, code))

const QUANTITIES: ReadonlySet<string> = new Set([
  'SimpleQuantity',
  'MoneyQuantity',
  'Age',
  'Count',
  'Distance',
  'Duration',
])

const CORE = 'http://hl7.org/fhir/StructureDefinition/'

/** The type that a canonical of R4 itself defines; undefined for a profile. */
export function coreType(canonical: string): string | undefined {
  const [url = ''] = canonical.split('|', 1)
  const name = url.startsWith(CORE) ? url.slice(CORE.length) : ''
  const structure = name.includes('.') ? undefined : structureOf(name)
  return structure?.name
}

export const coreCanonical = (type: string): string => `${CORE}${type}`
