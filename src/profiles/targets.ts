/** The target of a Reference, as far as it is known without the store: https://hl7.org/fhir/R4/references.html. */

import { isResourceType } from '../fhir/definitions.ts'
import { typeIn } from '../fhir/reference.ts'
import { isObject, itemsOf } from '../fhir/resource.ts'
import { rootElement, type TypedElement } from './typed-element.ts'

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
) => {
  const known = new WeakMap<object, Index>()
  return (resource: Readonly<Record<string, unknown>>): Index => {
    const index = known.get(resource) ?? new Map(namesOf(resource).toReversed())
    known.set(resource, index)
    return index
  }
}

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
