/**
 * Elements of a resource as profiles see them: value, R4 type and position, and the target of a Reference as far as it is
 * known without the store (https://hl7.org/fhir/R4/references.html).
 */

import {
  type ElementStructure,
  elementsByKey,
  elementsByName,
  isResourceType,
  structureOf,
  typeHierarchy,
} from '../fhir/definitions.ts'
import { oncePer } from '../fhir/memoize.ts'
import { typeIn } from '../fhir/reference.ts'
import { isObject, itemsOf } from '../fhir/resource.ts'
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

export interface Target {
  /** Undefined when the reference does not name a type. */
  readonly type: string | undefined
  /** The resource, when it is contained or in the same Bundle. */
  readonly item?: TypedElement
}

/** Undefined when the item is not a Reference, or one without a target. */
export function targetOf({ value, rootResource, parent, path }: TypedElement): Target | undefined {
  if (!isObject(value)) return undefined
  const { reference, type } = value
  const named = isResourceType(type) ? type : undefined
  if (typeof reference !== 'string') return named === undefined ? undefined : { type: named }
  const found = reference.startsWith('#')
    ? containedIn(rootResource, reference.slice(1), path)
    : inBundle(topOf(parent), reference)
  if (found !== undefined) return { type: found.type, item: found }
  const typeInUrl = typeIn(reference)
  return { type: isResourceType(typeInUrl) ? typeInUrl : named }
}

function containedIn(root: Readonly<Record<string, unknown>>, id: string, from: string): TypedElement | undefined {
  if (id === '') return rootElement(root)
  const found = idsIn(root).get(id)
  const item = found && rootElement(found.resource)
  const [top = ''] = from.split('.', 1)
  return item && { ...item, path: `${top}.contained[${found.index}]`, rootResource: root }
}

function topOf(item: TypedElement | undefined): Readonly<Record<string, unknown>> | undefined {
  let top = item
  while (top?.parent !== undefined) top = top.parent
  return isObject(top?.value) ? top.value : undefined
}

function inBundle(top: Readonly<Record<string, unknown>> | undefined, reference: string): TypedElement | undefined {
  const found = top?.['resourceType'] === 'Bundle' ? urlsIn(top).get(reference) : undefined
  const item = found && rootElement(found.resource)
  return item && { ...item, path: `Bundle.entry[${found.index}].resource` }
}

interface IndexedResource {
  readonly index: number
  readonly resource: Readonly<Record<string, unknown>>
}
type Index = ReadonlyMap<string, IndexedResource>

/** An index of nested resources, cached per resource, as there may be as many references as resources. */
const indexed = (
  namesOf: (resource: Readonly<Record<string, unknown>>) => readonly (readonly [string, IndexedResource])[],
) => oncePer((resource: Readonly<Record<string, unknown>>): Index => new Map(namesOf(resource).toReversed()))

const idsIn = indexed(({ contained }) =>
  itemsOf(contained).flatMap((resource, index) =>
    isObject(resource) && typeof resource['id'] === 'string' ? [[resource['id'], { index, resource }] as const] : [],
  ),
)

/** By fullUrl, and by the `Type/id` at its end. */
const urlsIn = indexed(({ entry }) =>
  itemsOf(entry).flatMap((one, index) => {
    const { fullUrl, resource } = isObject(one) ? one : {}
    if (typeof fullUrl !== 'string' || !isObject(resource)) return []
    const relative = fullUrl.split('/').slice(-2).join('/')
    return [fullUrl, relative].map((name) => [name, { index, resource }] as const)
  }),
)
