/** Where a Reference leads, as far as it can be told without the store: https://hl7.org/fhir/R4/references.html. */
import { isResourceType } from '../fhir/definitions.ts'
import { isObject } from '../fhir/resource.ts'
import { type Item, itemOf } from './item.ts'

export interface Target {
  /** Undefined when the reference does not tell. */
  readonly type: string | undefined
  /** The resource, where it came along: contained, or in the Bundle that is checked. */
  readonly item?: Item
}

const REST = /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/

/** Undefined for what is no Reference or has none. */
export function targetOf({ value, rootResource, parent, path }: Item): Target | undefined {
  if (!isObject(value)) return undefined
  const { reference, type } = value
  const named = isResourceType(type) ? type : undefined
  if (typeof reference !== 'string') return named === undefined ? undefined : { type: named }
  const found = reference.startsWith('#')
    ? containedIn(rootResource, reference.slice(1), path)
    : inBundle(topOf(parent), reference)
  if (found !== undefined) return { type: found.type, item: found }
  const told = REST.exec(reference)?.[1]
  return { type: isResourceType(told) ? told : named }
}

function containedIn(root: Readonly<Record<string, unknown>>, id: string, from: string): Item | undefined {
  if (id === '') return itemOf(root)
  const found = idsIn(root).get(id)
  const item = found && itemOf(found.resource)
  const [top = ''] = from.split('.', 1)
  return item && { ...item, path: `${top}.contained[${found.index}]`, rootResource: root }
}

function topOf(item: Item | undefined): Readonly<Record<string, unknown>> | undefined {
  let top = item
  while (top?.parent !== undefined) top = top.parent
  return isObject(top?.value) ? top.value : undefined
}

function inBundle(top: Readonly<Record<string, unknown>> | undefined, reference: string): Item | undefined {
  const found = top?.['resourceType'] === 'Bundle' ? addressesIn(top).get(reference) : undefined
  const item = found && itemOf(found.resource)
  return item && { ...item, path: `Bundle.entry[${found.index}].resource` }
}

interface Held {
  readonly index: number
  readonly resource: Readonly<Record<string, unknown>>
}
type Index = ReadonlyMap<string, Held>

/** Made once of a resource, which may have as many references as resources in it. */
const indexed = (namesOf: (resource: Readonly<Record<string, unknown>>) => readonly (readonly [string, Held])[]) => {
  const known = new WeakMap<object, Index>()
  return (resource: Readonly<Record<string, unknown>>): Index => {
    const index = known.get(resource) ?? new Map(namesOf(resource).toReversed())
    known.set(resource, index)
    return index
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const idsIn = indexed(({ contained }) =>
  listOf(contained).flatMap((resource, index) =>
    isObject(resource) && typeof resource['id'] === 'string' ? [[resource['id'], { index, resource }] as const] : [],
  ),
)

/** By the full address, and by the `Type/id` at its end. */
const addressesIn = indexed(({ entry }) =>
  listOf(entry).flatMap((one, index) => {
    const { fullUrl, resource } = isObject(one) ? one : {}
    if (typeof fullUrl !== 'string' || !isObject(resource)) return []
    const relative = fullUrl.split('/').slice(-2).join('/')
    return [fullUrl, relative].map((name) => [name, { index, resource }] as const)
  }),
)
