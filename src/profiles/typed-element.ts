/** Elements of a resource as profiles see them: value, R4 type and position. */
import { type ElementStructure, isResourceType, type Structure, structureOf } from '../fhir/definitions.ts'
import { isObject } from '../fhir/resource.ts'
import { Meter } from '../isolation/budget.ts'

export interface TypedElement {
  /** Undefined or null when a primitive has extensions but no value. */
  readonly value: unknown
  /** The `_name` of a primitive. */
  readonly sibling?: unknown
  /** The R4 type; for a backbone element the path that defines it, `Patient.contact`. */
  readonly type: string
  /** FHIRPath, `Patient.name[0].given[1]`. */
  readonly path: string
  /** The element name, `name`; for a resource its type. */
  readonly name: string
  readonly parent?: TypedElement
  /** %resource and %rootResource. */
  readonly resource: Readonly<Record<string, unknown>>
  readonly rootResource: Readonly<Record<string, unknown>>
}

/** The root element of a resource. Undefined when R4 has no such type. */
export function rootElement(resource: Readonly<Record<string, unknown>>): TypedElement | undefined {
  const type = resource['resourceType']
  if (!isResourceType(type)) return undefined
  return { value: resource, type, path: type, name: type, resource, rootResource: resource }
}

/** The children with a FHIRPath name; `value` selects `valueQuantity`. */
export function childElements(item: TypedElement, name: string): readonly TypedElement[] {
  const holder = holderOf(item)
  const element = elementsByName(holderType(item)).get(name)
  if (holder === undefined || element === undefined) return []
  const found: TypedElement[] = []
  for (const key of element.properties.keys()) addValues(found, item, { holder, element, key })
  meter.pay(found.length * STEPS_PER_ELEMENT)
  return found
}

/** All children that R4 defines. */
export function allChildElements(item: TypedElement): readonly TypedElement[] {
  const holder = holderOf(item)
  if (holder === undefined) return []
  const elements = elementsByKey(holderType(item))
  const keys = new Set<string>()
  for (const key of Object.keys(holder)) keys.add(key.startsWith('_') ? key.slice(1) : key)
  const found: TypedElement[] = []
  for (const key of keys) {
    const element = elements.get(key)
    if (element !== undefined) addValues(found, item, { holder, element, key })
  }
  meter.pay(found.length * STEPS_PER_ELEMENT)
  return found
}

/** The JSON object that has the children; for a primitive it is `_name`. */
const holderOf = ({ value, sibling }: TypedElement): Readonly<Record<string, unknown>> | undefined =>
  isObject(value) ? value : isObject(sibling) ? sibling : undefined

const holderType = ({ value, type }: TypedElement): string => (isObject(value) ? type : 'Element')

/** Steps per element. */
const STEPS_PER_ELEMENT = 0.5

const meter = new Meter('the comparison with its profiles')

interface Source {
  readonly holder: Readonly<Record<string, unknown>>
  readonly element: ElementStructure
  /** The JSON name, of which a choice has several. */
  readonly key: string
}

/** Adds the values under a JSON name, including those that have only extensions. */
function addValues(found: TypedElement[], item: TypedElement, { holder, element, key }: Source): void {
  const [value, sibling] = [holder[key], holder[`_${key}`]]
  if (value === undefined && sibling === undefined) return
  const [name, type] = [element.name, element.properties.get(key) ?? '']
  if (!Array.isArray(value) && !Array.isArray(sibling)) {
    found.push(childOf(item, name, '', { type, value, sibling }))
    return
  }
  const [values, siblings] = [listOf(value), listOf(sibling)]
  for (let index = 0; index < Math.max(values.length, siblings.length); index++) {
    found.push(childOf(item, name, `[${index}]`, { type, value: values[index], sibling: siblings[index] ?? undefined }))
  }
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

function childOf(
  parent: TypedElement,
  name: string,
  at: string,
  { type, value, sibling }: { readonly type: string; readonly value: unknown; readonly sibling: unknown },
): TypedElement {
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

/** The element definitions of a type by FHIRPath name. */
export function elementsByName(type: string): Elements {
  return indexed(type, byName, (element) => [element.name])
}

/** The element definitions of a type by JSON name; a choice has several. */
export function elementsByKey(type: string): Elements {
  return indexed(type, byKey, ({ properties }) => [...properties.keys()])
}

function indexed(
  type: string,
  cache: WeakMap<Structure, Elements>,
  namesOf: (element: ElementStructure) => readonly string[],
): Elements {
  const structure = structureOf(type)
  if (structure === undefined) return NONE
  const cached = cache.get(structure)
  if (cached !== undefined) return cached
  const index = new Map(
    structure.elements.flatMap((element) => namesOf(element).map((name) => [name, element] as const)),
  )
  cache.set(structure, index)
  return index
}

const chains = new Map<string, readonly string[]>()

/** The type and its base types: `code`, `string`, `Element`. */
export function typeHierarchy(type: string): readonly string[] {
  const known = chains.get(type)
  if (known !== undefined) return known
  const structure = structureOf(type)
  if (structure === undefined) return [type]
  const chain = [type, ...(structure.base === undefined ? [] : typeHierarchy(structure.base))]
  chains.set(type, chain)
  return chain
}

/** Whether `type` is `other` or derived from it; profiled types such as SimpleQuantity count as their base type. */
export const isA = (type: string, other: string): boolean =>
  typeHierarchy(type).includes(other) || (QUANTITIES.has(other) && typeHierarchy(other).includes(type))

/** Whether `type` satisfies the type rule `code`. Unlike in `isA`, a code is not a string here. */
export const hasTypeCode = (type: string, code: string): boolean =>
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

/** The type defined by a canonical of R4 itself; undefined for a profile. */
export function coreType(canonical: string): string | undefined {
  const [url = ''] = canonical.split('|', 1)
  const name = url.startsWith(CORE) ? url.slice(CORE.length) : ''
  const structure = name.includes('.') ? undefined : structureOf(name)
  return structure?.name
}

export const coreCanonical = (type: string): string => `${CORE}${type}`
